/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/blocks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "engine/printed.h"
#include "explain/clocking.h"
#include "stat/paired.h"
#include "stat/random.h"
#include "wire/wire.h"

/* A block that begins with fewer operations than this grows until it takes a while. */
#define FIRST_SIZE 8
#define MAX_OUTPUT (2 * WIRE_OUTPUT_BYTES)

/* ---- one answer ---- */

struct answer {
	bool ok;
	struct strv names, values; /* figures */
	char *sentence;            /* of a failure */
	struct str output;
};

static void answer_finish(struct answer *a)
{
	strv_finish(&a->names);
	strv_finish(&a->values);
	free(a->sentence);
	str_finish(&a->output);
}

static uint64_t answer_number(const struct answer *a, const char *name)
{
	uint64_t v = 0;

	for (size_t i = 0; i < a->names.n; i++)
		if (strcmp(a->names.v[i], name) == 0)
			str_to_u64(a->values.v[i], 0, INT64_MAX, &v);
	return v;
}

/* "ok NAME=NUMBER … output=N" or "failed output=N SENTENCE". */
static int parse(const char *line, struct answer *a, uint64_t *ret_output)
{
	_cleanup_free_ char *copy = xstrdup(line);
	char *next = copy, *word = strsep(&next, " ");

	a->ok = strcmp(word, "ok") == 0;
	if (!a->ok && strcmp(word, "failed") != 0)
		return -EBADMSG;
	while ((word = strsep(&next, " "))) {
		char *eq = strchr(word, '=');

		if (!eq)
			return -EBADMSG;
		*eq = 0;
		if (strcmp(word, "output") == 0) {
			a->sentence = xstrdup(next ? next : "");
			str_make_printable(a->sentence);
			return str_to_u64(eq + 1, 0, MAX_OUTPUT, ret_output);
		}
		strv_add(&a->names, word);
		strv_add(&a->values, eq + 1);
	}
	return -EBADMSG;
}

static int read_answer(const struct blocks_place *place, size_t variant, uint64_t deadline_ms, struct answer *a)
{
	struct dialog *d = place->dialog(place->data, variant);
	uint64_t n_output;
	const char *line;
	int r;

	for (;;) {
		r = dialog_line(d, deadline_ms, &line);
		if (r < 0)
			return r;
		if (str_has_prefix(line, WIRE_ANSWER))
			break;
		if (place->on_line)
			place->on_line(place->data, variant, line);
	}
	r = parse(line + strlen(WIRE_ANSWER), a, &n_output);
	if (r == 0)
		r = dialog_bytes(d, n_output, deadline_ms, &a->output);
	if (r == 0 && a->output.len)
		str_make_printable(a->output.s);
	return r;
}

static int explain_silence(int r, struct error *err)
{
	switch (r) {
	case -EPIPE:
		return error_set(err, EPIPE, "the agent has ended");
	case -ETIMEDOUT:
		return error_set(err, ETIMEDOUT, "the agent does not answer");
	case -ECANCELED:
		return error_set(err, ECANCELED, "interrupted");
	default:
		return error_set(err, -r, "the agent says what is no answer");
	}
}

static int ask(const struct blocks_place *place, size_t variant, const char *command, uint64_t deadline_ms,
	       struct answer *a, struct error *err)
{
	int r = dialog_send(place->dialog(place->data, variant), command, deadline_ms);

	if (r == 0)
		r = read_answer(place, variant, deadline_ms, a);
	return r < 0 ? explain_silence(r, err) : 0;
}

int blocks_greeting(const struct blocks_place *place, size_t variant, uint64_t deadline_ms, struct error *err)
{
	struct answer a = { 0 };
	int r = read_answer(place, variant, deadline_ms, &a);

	answer_finish(&a);
	return r < 0 ? explain_silence(r, err) : 0;
}

/* ---- a workload ---- */

struct running {
	const struct blocks_place *place;
	const struct blocks_options *o;
	struct sitting *sitting;
	struct random random;
	struct timespec start;
	size_t index, variant; /* of the workload in the plan; whose turn it was last */
	uint64_t size;
	bool failed;           /* this workload */
};

static const struct plan_item *item_of(const struct running *w)
{
	return &w->o->plan->items[w->index];
}

static uint64_t since_ms(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)((now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000);
}

/* Enters, asks, leaves. A failure of the workload is told and is no error. */
static int turn(struct running *w, size_t variant, const char *verb, struct answer *a, struct error *err)
{
	_cleanup_free_ char *command = xasprintf("%s %zu %llu\n", verb, w->index, (unsigned long long)w->size);
	int r;

	w->variant = variant;
	r = w->place->enter(w->place->data, variant, err);
	if (r == 0)
		r = ask(w->place, variant, command, w->o->deadline_ms, a, err);
	if (r == 0)
		r = w->place->leave(w->place->data, variant, err);
	if (r == 0 && !a->ok && !w->failed) {
		w->failed = true;
		w->o->on_failure(w->o->data, variant, plan_item_name(item_of(w)), a->sentence, str_text(&a->output));
	}
	return r;
}

static int simple_turn(struct running *w, size_t variant, const char *verb, struct error *err)
{
	struct answer a = { 0 };
	int r = turn(w, variant, verb, &a, err);

	answer_finish(&a);
	return r;
}

static int each(struct running *w, const char *verb, struct error *err)
{
	int r = 0;

	for (size_t v = 0; r == 0 && v < (w->place->is_shared ? 1 : w->o->n_variants); v++)
		r = simple_turn(w, v, verb, err);
	return r;
}

/* So many operations that a block is long enough, found on the base and the same for all. */
static int find_size(struct running *w, struct error *err)
{
	const char *name = plan_item_name(item_of(w));
	uint64_t known = w->o->size_of ? w->o->size_of(w->o->data, name) : 0, wanted = w->o->block_ms * 1000000;
	int r = 0;

	w->size = 1;
	if (item_of(w)->workload)
		return 0;
	w->size = known ? known : FIRST_SIZE;
	while (r == 0 && !known && !w->failed) {
		struct answer a = { 0 };
		uint64_t ns;

		r = turn(w, 0, "run", &a, err);
		ns = answer_number(&a, "ns");
		answer_finish(&a);
		if (ns > wanted / 8) {
			w->size = (uint64_t)ceil((double)w->size * (double)wanted / (double)ns);
			break;
		}
		w->size *= 4;
	}
	return r;
}

static void take_block(struct running *w, size_t variant, uint32_t round, uint64_t at_ms, const struct answer *a)
{
	const struct plan_item *item = item_of(w);
	_cleanup_error_ struct error err = ERROR_INIT;
	struct readings readings = { 0 };
	uint64_t ops = answer_number(a, "ops");
	struct block *b;
	int r = 0;

	if (item->workload)
		r = printed_read(item->workload, str_text(&a->output), &readings, &ops, &err);
	if (r < 0 || !ops) {
		w->failed = true;
		w->o->on_failure(w->o->data, variant, plan_item_name(item),
				 r < 0 ? error_text(&err) : "it did no operation", str_text(&a->output));
	} else {
		b = sitting_add_block(w->sitting);
		b->variant = variant;
		b->workload = xstrdup(plan_item_name(item));
		b->round = round;
		b->position = (uint32_t)w->sitting->n_blocks - 1;
		b->ops = ops;
		b->ns = answer_number(a, "ns");
		b->at_ms = at_ms;
		for (size_t i = 0; i < readings.n; i++)
			block_add_figure(b, FIGURE_METRIC, readings.v[i].metric, readings.v[i].unit,
					 readings.v[i].is_higher_better, readings.v[i].value);
		for (size_t i = 0; i < a->names.n; i++) {
			const char *name = a->names.v[i];

			if (strcmp(name, "ops") != 0 && strcmp(name, "ns") != 0)
				block_add_figure(b, FIGURE_COUNTER, name, "", false,
						 (double)answer_number(a, name));
		}
	}
	readings_finish(&readings);
}

static int one_block(struct running *w, size_t variant, uint32_t round, struct error *err)
{
	struct answer a = { 0 };
	uint64_t at = since_ms(&w->start);
	int r = turn(w, variant, "run", &a, err);

	if (r == 0 && !w->failed)
		take_block(w, variant, round, at, &a);
	answer_finish(&a);
	return r;
}

/* There and back in an order that is drawn (Fisher and Yates). */
static int one_round(struct running *w, uint32_t round, struct error *err)
{
	size_t n = w->o->n_variants;
	_cleanup_free_ size_t *order = xcalloc(2 * n, sizeof(*order));
	int r = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t k = random_below(&w->random, i), t = order[k];

		order[k] = order[i - 1];
		order[i - 1] = t;
	}
	for (size_t i = 0; i < n; i++)
		order[2 * n - 1 - i] = order[i];
	for (size_t i = 0; r == 0 && i < 2 * n && !w->failed; i++)
		r = one_block(w, order[i], round, err);
	return r;
}

/* Is every variant's interval within what was asked for? */
static bool is_enough(const struct running *w)
{
	const char *name = plan_item_name(item_of(w));
	_cleanup_free_ double *logs = xcalloc(w->sitting->n_blocks + 1, sizeof(*logs));

	for (size_t v = 1; v < w->o->n_variants; v++) {
		size_t n = clocking_rounds(w->sitting, name, 0, v, false, logs);
		struct paired p;

		if (!paired_is_look(n, w->o->rounds))
			return false;
		paired_judge(logs, n, paired_look_level(w->o->rounds), 0, &p);
		if (!(log(p.ratio.hi) - log(p.ratio.lo) <= 2 * w->o->until))
			return false;
	}
	return w->o->n_variants > 1;
}

static int run_workload(struct running *w, struct error *err)
{
	size_t per_workload = 2 * w->o->n_variants * w->o->rounds;
	size_t all = w->o->plan->n_items * per_workload;
	int r;

	w->failed = false;
	w->size = 1;
	r = each(w, "ready", err);
	if (r == 0 && !w->failed)
		r = find_size(w, err);
	for (uint32_t i = 0; r == 0 && !w->failed && i < w->o->rounds; i++) {
		r = one_round(w, i, err);
		if (w->o->on_block)
			w->o->on_block(w->o->data, w->index * per_workload + 2 * w->o->n_variants * (i + 1), all);
		if (r == 0 && w->o->until > 0 && is_enough(w))
			break;
	}
	if (r == 0) {
		w->size = 1;
		r = each(w, "over", err);
	}
	return r;
}

int blocks_run(const struct blocks_place *place, const struct blocks_options *options, struct sitting *s,
	       size_t *ret_variant, struct error *err)
{
	struct running w = { .place = place, .o = options, .sitting = s };
	int r = 0;

	random_seed(&w.random, options->plan->seed);
	clock_gettime(CLOCK_MONOTONIC, &w.start);
	for (; r == 0 && w.index < options->plan->n_items; w.index++)
		r = run_workload(&w, err);
	*ret_variant = w.variant;
	return r;
}
