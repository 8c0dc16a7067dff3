/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "model/record.h"
#include "sys/db.h"

static char dir[] = "/tmp/ktoll-record-XXXXXX";

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	_cleanup_free_ char *command = xasprintf("rm -rf '%s'", dir);

	return system(command);
}

static void make_run(struct run *run)
{
	*run = (struct run){ 0 };
	facts_add(&run->head, "key", "k1");
	facts_add(&run->head, "seed", "1");
	run->n_variants = 2;
	run->variants = xcalloc(2, sizeof(*run->variants));
	for (size_t i = 0; i < 2; i++) {
		struct variant *v = &run->variants[i];

		v->name = xasprintf("v%zu", i);
		v->spec = xstrdup("debian:6.1,+preempt=none");
		v->cmdline = xstrdup("console=ttyS0");
		v->kernel.arch = "x86_64";
		v->kernel.release = xstrdup("6.1.0-57-amd64");
		v->kernel.image_path = xstrdup("/nowhere/vmlinuz");
		v->kernel.compiler = xstrdup("gcc 12");
		v->kernel.tree = xstrdup("v6.1-1-gabc");
		v->kernel.tree_diff = xstrdup("+one line\n");
		v->kernel.sizes = (struct elf_sizes){ 7001002, 8388608, 2000003, 11193397 };
		v->kernel.config = xstrdup("CONFIG_A=y\n");
	}
	strv_add(&run->variants[0].params, "preempt=none");
}

static void make_outcome(struct outcome *o)
{
	static const struct profile_count counts[] = { { 0x1000, 3, 0 },
						       { 0xffffffff81000000ull, 9, 1 } };
	struct sample *s;

	*o = (struct outcome){ .done = true, .wall_ms = 17000, .booted_ms = 12000 };
	o->command = xstrdup("qemu-system-x86_64 -M pc");
	o->console = xstrdup("Linux\n");
	facts_add(&o->guest, "build_id", "abcdef0123456789");
	s = ARRAY_ADD(o->samples, o->n_samples, o->cap_samples);
	s->workload = xstrdup("getppid");
	s->ops = 1000;
	s->lead_ops = 77;
	s->started = 12;
	s->clock = 12;
	s->locked = 4;
	s->kernel_insns = 1;
	s->is_tick = true;
	s->profile.counts = xmemdup(counts, sizeof(counts));
	s->profile.n = 2;
	s->size = 1;
	s->output = xstrdup("Time: 0.1\n");
	*ARRAY_ADD(s->metrics, s->n_metrics, s->cap_metrics) =
		(struct metric){ xstrdup("time"), xstrdup("s"), false, 0.1 };
	outcome_add_failure(o, "exec", "operation", "No such file", "last line");
	o->symbols = xstrdup("ffffffff81000000 start\n");
	o->symbols_bytes = strlen(o->symbols);
}

static void test_round_trip(void **state)
{
	_cleanup_free_ char *path = path_join(dir, "a.ktoll");
	struct record *rec;
	struct outcome o;
	struct run run, back;
	struct profile p;
	struct symbols sym;

	make_run(&run);
	make_outcome(&o);
	assert_int_equal(record_create(path, &run, &rec, NULL), 0);
	assert_int_equal(record_put_outcome(rec, 1, 0, &o, NULL), 0);
	/* Once more: a boot that is repeated replaces the earlier one. */
	assert_int_equal(record_put_outcome(rec, 1, 0, &o, NULL), 0);
	record_close(rec);
	assert_int_equal(record_open(path, false, &rec, NULL), 0);
	assert_int_equal(record_load(rec, &back, NULL), 0);
	assert_false(back.complete);
	assert_string_equal(facts_get(&back.head, "seed"), "1");
	assert_int_equal(back.n_variants, 2);
	assert_string_equal(back.variants[0].params.v[0], "preempt=none");
	assert_string_equal(back.variants[1].kernel.config, "CONFIG_A=y\n");
	assert_int_equal(strlen(back.variants[1].kernel.config_sha256), 64);
	assert_string_equal(back.variants[1].kernel.compiler, "gcc 12");
	assert_string_equal(back.variants[1].kernel.tree, "v6.1-1-gabc");
	assert_string_equal(back.variants[1].kernel.tree_diff, "+one line\n");
	assert_memory_equal(&back.variants[1].kernel.sizes, &run.variants[1].kernel.sizes,
			    sizeof(struct elf_sizes));
	assert_false(back.outcomes[0].done);
	assert_true(back.outcomes[1].done);
	assert_int_equal(back.outcomes[1].n_samples, 1);
	assert_int_equal(back.outcomes[1].samples[0].ops, 1000);
	assert_int_equal(back.outcomes[1].samples[0].lead_ops, 77);
	assert_int_equal(back.outcomes[1].samples[0].locked, 4);
	assert_true(back.outcomes[1].samples[0].is_tick);
	assert_true(back.outcomes[1].samples[0].is_program);
	assert_int_equal(back.outcomes[1].samples[0].size, 1);
	assert_int_equal(back.outcomes[1].samples[0].n_metrics, 1);
	assert_true(back.outcomes[1].samples[0].metrics[0].value == 0.1);
	assert_false(back.outcomes[1].samples[0].metrics[0].is_higher_better);
	assert_string_equal(back.outcomes[1].failures[0].log_tail, "last line");
	assert_int_equal(back.outcomes[1].wall_ms, 17000);
	assert_int_equal(record_load_profile(rec, back.outcomes[1].samples[0].profile_id, &p, NULL), 0);
	assert_memory_equal(p.counts, o.samples[0].profile.counts, 2 * sizeof(*p.counts));
	assert_int_equal(record_load_symbols(rec, "abcdef0123456789", &sym, NULL), 0);
	assert_int_equal(sym.n, 1);
	assert_int_equal(record_load_symbols(rec, "00", &sym, NULL), -ENODATA);
	symbols_finish(&sym);
	profile_finish(&p);
	record_close(rec);
	run_finish(&back);
	run_finish(&run);
	outcome_finish(&o);
}

static void test_one_writer(void **state)
{
	_cleanup_free_ char *path = path_join(dir, "lock.ktoll");
	struct record *rec, *other;
	struct run run;

	make_run(&run);
	assert_int_equal(record_create(path, &run, &rec, NULL), 0);
	assert_int_equal(record_create(path, &run, &other, NULL), -EEXIST);
	assert_int_equal(record_open(path, true, &other, NULL), -EBUSY);
	record_close(rec);
	assert_int_equal(record_open(path, true, &other, NULL), 0);
	record_close(other);
	run_finish(&run);
}

/* Of several that begin the same record at once, one has it, and the others leave it alone. */
static void test_race(void **state)
{
	_cleanup_free_ char *path = path_join(dir, "race.ktoll");
	struct record *rec;
	struct run run, back;

	make_run(&run);
	for (unsigned round = 0; round < 20; round++) {
		unsigned n_won = 0;
		int gate[2], status;

		assert_int_equal(pipe(gate), 0);
		/* Blank, as a process leaves it that was ended as it began. */
		assert_int_equal(file_write(path, "", 0, NULL), 0);
		for (unsigned i = 0; i < 4; i++) {
			pid_t pid = fork();
			char c;

			if (pid == 0) {
				close(gate[1]);
				if (read(gate[0], &c, 1) < 0)
					_exit(2);
				_exit(record_create(path, &run, &rec, NULL) == 0 ? 0 : 1);
			}
			assert_true(pid > 0);
		}
		close(gate[0]);
		close(gate[1]);
		while (wait(&status) > 0)
			n_won += WIFEXITED(status) && WEXITSTATUS(status) == 0;
		assert_int_equal(n_won, 1);
		assert_int_equal(record_open(path, false, &rec, NULL), 0);
		assert_int_equal(record_load(rec, &back, NULL), 0);
		assert_int_equal(back.n_variants, 2);
		run_finish(&back);
		record_close(rec);
		remove(path);
	}
	run_finish(&run);
}

/* Somebody else has the blank file and its lock: it is not ours to remove. */
static void test_begun_by_another(void **state)
{
	_cleanup_free_ char *path = path_join(dir, "begun.ktoll");
	struct record *rec;
	int ready[2], go[2], status;
	struct run run;
	char c = 0;
	pid_t pid;

	make_run(&run);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		struct db *db;
		int r = db_open(path, DB_CREATE, &db, NULL);

		close(go[1]);

		if (r == 0)
			r = db_run(db, NULL, "PRAGMA locking_mode = EXCLUSIVE", "");
		if (r == 0)
			r = db_run(db, NULL, "BEGIN IMMEDIATE", "");
		if (r < 0 || write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(2);
		_exit(file_exists(path) ? 0 : 1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_true(record_create(path, &run, &rec, NULL) < 0);
	assert_true(file_exists(path));
	assert_int_equal(write(go[1], &c, 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	/* And once it is over, blank as it was: begun anew. */
	assert_int_equal(record_create(path, &run, &rec, NULL), 0);
	record_close(rec);
	run_finish(&run);
}

static void test_find(void **state)
{
	_cleanup_free_ char *path = path_join(dir, "find.ktoll"), *found = NULL;
	struct record *rec;
	struct run run;

	make_run(&run);
	free(run.head.values.v[0]);
	run.head.values.v[0] = xstrdup("k2");
	assert_int_equal(record_create(path, &run, &rec, NULL), 0);
	record_close(rec);
	found = record_find_unfinished(dir, "k2");
	assert_string_equal(found, path);
	assert_null(record_find_unfinished(dir, "k3"));
	assert_int_equal(record_open(path, true, &rec, NULL), 0);
	assert_int_equal(record_set_complete(rec, NULL), 0);
	record_close(rec);
	assert_null(record_find_unfinished(dir, "k2"));
	run_finish(&run);
}

static void test_strangers(void **state)
{
	_cleanup_free_ char *text = path_join(dir, "text.ktoll"), *db = path_join(dir, "db.ktoll"),
			    *newer = path_join(dir, "newer.ktoll"), *none = path_join(dir, "none");
	struct record *rec;
	struct db *d;
	struct run run;

	assert_int_equal(file_write(text, "hello, I am no database at all\n", 31, NULL), 0);
	assert_int_equal(record_open(text, false, &rec, NULL), -EBADMSG);
	assert_int_equal(record_open(dir, false, &rec, NULL), -EBADMSG);
	assert_int_equal(record_open(none, false, &rec, NULL), -ENOENT);
	assert_int_equal(db_open(db, DB_CREATE, &d, NULL), 0);
	assert_int_equal(db_run(d, NULL, "CREATE TABLE x (y)", ""), 0);
	db_close(d);
	assert_int_equal(record_open(db, false, &rec, NULL), -EBADMSG);
	make_run(&run);
	assert_int_equal(record_create(newer, &run, &rec, NULL), 0);
	record_close(rec);
	assert_int_equal(db_open(newer, DB_WRITE, &d, NULL), 0);
	assert_int_equal(db_run(d, NULL, "PRAGMA user_version = 99", ""), 0);
	db_close(d);
	assert_int_equal(record_open(newer, false, &rec, NULL), -EPROTO);
	run_finish(&run);
}

/* A sample that cannot be: an error with its place, and not one sample less. */
static void test_impossible_samples(void **state)
{
	static const char *const changes[] = { "UPDATE sample SET ops = 0", "UPDATE sample SET variant = 7" };

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		_cleanup_free_ char *path = path_join(dir, i ? "variant.ktoll" : "ops.ktoll");
		_cleanup_error_ struct error err = ERROR_INIT;
		struct record *rec;
		struct outcome o;
		struct run run, back;
		struct db *d;

		make_run(&run);
		make_outcome(&o);
		assert_int_equal(record_create(path, &run, &rec, NULL), 0);
		assert_int_equal(record_put_outcome(rec, 0, 0, &o, NULL), 0);
		record_close(rec);
		assert_int_equal(db_open(path, DB_WRITE, &d, NULL), 0);
		assert_int_equal(db_run(d, NULL, changes[i], ""), 0);
		db_close(d);
		assert_int_equal(record_open(path, false, &rec, NULL), 0);
		assert_int_equal(record_load(rec, &back, &err), -EBADMSG);
		assert_non_null(strstr(error_text(&err), "a sample of no operations, or of no variant (getppid, variant "));
		record_close(rec);
		run_finish(&run);
		outcome_finish(&o);
	}
}

/* A blob that was changed on disk is damage, not data. */
static void test_changed_blob(void **state)
{
	_cleanup_free_ char *path = path_join(dir, "changed.ktoll");
	struct record *rec;
	struct outcome o;
	struct profile p;
	struct run run, back;
	struct db *d;

	make_run(&run);
	make_outcome(&o);
	assert_int_equal(record_create(path, &run, &rec, NULL), 0);
	assert_int_equal(record_put_outcome(rec, 0, 0, &o, NULL), 0);
	record_close(rec);
	assert_int_equal(db_open(path, DB_WRITE, &d, NULL), 0);
	assert_int_equal(db_run(d, NULL,
				"UPDATE blob SET data = x'050100' WHERE id IN (SELECT profile FROM "
				"sample)",
				""),
			 0);
	db_close(d);
	assert_int_equal(record_open(path, false, &rec, NULL), 0);
	assert_int_equal(record_load(rec, &back, NULL), 0);
	assert_int_equal(record_load_profile(rec, back.outcomes[0].samples[0].profile_id, &p, NULL),
			 -EBADMSG);
	record_close(rec);
	run_finish(&back);
	run_finish(&run);
	outcome_finish(&o);
}

/*
 * Killed at any moment of writing, the record opens and holds whole boots only, and the next writer goes on with it.
 * KTOLL_TEST_KILLS times; `make test-kill` does it 1,000 times.
 */
static void test_killed(void **state)
{
	const char *wanted = getenv("KTOLL_TEST_KILLS");
	unsigned n = wanted ? (unsigned)atoi(wanted) : 6;

	srand(1);
	for (unsigned i = 0; i < n; i++) {
		_cleanup_free_ char *name = xasprintf("killed%u.ktoll", i),
				    *path = path_join(dir, name);
		struct record *rec;
		struct run run, back;
		struct outcome o;
		pid_t pid;

		make_run(&run);
		assert_int_equal(record_create(path, &run, &rec, NULL), 0);
		record_close(rec);
		pid = fork();
		if (pid == 0) {
			make_outcome(&o);
			if (record_open(path, true, &rec, NULL) < 0)
				_exit(1);
			for (;;)
				record_put_outcome(rec, 0, 0, &o, NULL);
		}
		usleep(5000 + (unsigned)rand() % 60000);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		assert_int_equal(record_open(path, false, &rec, NULL), 0);
		assert_int_equal(record_load(rec, &back, NULL), 0);
		if (back.outcomes[0].done)
			assert_int_equal(back.outcomes[0].n_samples, 1);
		else
			assert_int_equal(back.outcomes[0].n_samples, 0);
		record_close(rec);
		run_finish(&back);
		assert_int_equal(record_open(path, true, &rec, NULL), 0);
		make_outcome(&o);
		assert_int_equal(record_put_outcome(rec, 1, 0, &o, NULL), 0);
		outcome_finish(&o);
		record_close(rec);
		assert_int_equal(record_open(path, false, &rec, NULL), 0);
		assert_int_equal(record_load(rec, &back, NULL), 0);
		assert_true(back.outcomes[1].done && back.outcomes[1].n_samples == 1);
		record_close(rec);
		run_finish(&back);
		run_finish(&run);
		remove(path);
	}
}

/* A null boot stands beside the first one: its samples, its code, its failures. */
static void test_null_boots(void **state)
{
	static const struct code_insn first[] = { { 0xffffffff81000000ull, 1, false, { 0x90 } } };
	static const struct code_insn second[] = { { 0xffffffff81000000ull, 1, false, { 0xc3 } }, { 0xffffffff81000001ull, 1, false, { 0xc3 } } };
	_cleanup_free_ char *path = path_join(dir, "null.ktoll");
	struct outcome o, other;
	struct run run, back;
	struct record *rec;
	struct code code;

	make_run(&run);
	facts_add(&run.head, "null_boots", "3");
	make_outcome(&o);
	code_merge(&o.code, first, 1);
	make_outcome(&other);
	code_merge(&other.code, second, 2);
	other.samples[0].null_boot = 2;
	other.samples[0].ops = 1001;
	other.samples[0].metrics[0].value = 0.3;
	facts_add(&other.guest, "release", "of no report");
	assert_int_equal(record_create(path, &run, &rec, NULL), 0);
	assert_int_equal(record_put_outcome(rec, 1, 0, &o, NULL), 0);
	/* Twice: it replaces itself, and not the first boot. */
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(record_put_outcome(rec, 1, 2, &other, NULL), 0);
	/* Of the same outcome, this boot has nothing. */
	assert_int_equal(record_put_outcome(rec, 0, 1, &other, NULL), 0);
	record_close(rec);
	assert_int_equal(record_open(path, false, &rec, NULL), 0);
	assert_int_equal(record_load(rec, &back, NULL), 0);
	assert_int_equal(run_nulls(&back), 3);
	assert_true(back.outcomes[1].done);
	assert_false(back.outcomes[0].done);
	assert_int_equal(back.outcomes[1].nulls_done, 1 << 2);
	assert_int_equal(back.outcomes[0].nulls_done, 1 << 1);
	assert_int_equal(back.outcomes[0].n_samples, 0);
	assert_int_equal(back.outcomes[1].nulls_ms, 17000);
	assert_int_equal(back.outcomes[1].wall_ms, 17000);
	assert_int_equal(back.outcomes[1].n_samples, 2);
	assert_int_equal(back.outcomes[1].n_failures, 2);
	assert_null(facts_get(&back.outcomes[1].guest, "release"));
	for (size_t i = 0; i < 2; i++) {
		const struct sample *s = &back.outcomes[1].samples[i];

		assert_int_equal(s->null_boot, i ? 2 : 0);
		assert_int_equal(s->ops, i ? 1001 : 1000);
		assert_int_equal(s->n_metrics, 1);
		assert_true(s->metrics[0].value == (i ? 0.3 : 0.1));
	}
	/* What either boot executed; of two, the later one holds. */
	assert_int_equal(record_load_code(rec, 1, &code, NULL), 0);
	assert_int_equal(code.n, 2);
	assert_true(code.v[0].is_changed && code.v[0].bytes[0] == 0xc3);
	assert_false(code.v[1].is_changed);
	code_finish(&code);
	record_close(rec);
	outcome_finish(&o);
	outcome_finish(&other);
	run_finish(&run);
	run_finish(&back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_one_writer),
		cmocka_unit_test(test_find),       cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_killed),     cmocka_unit_test(test_changed_blob), cmocka_unit_test(test_impossible_samples),
		cmocka_unit_test(test_null_boots), cmocka_unit_test(test_race), cmocka_unit_test(test_begun_by_another),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
