/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plugin API 2 to 6 (QEMU 9.0 and newer): counters live in scoreboards and the
 * inline operations are per vCPU. Debian ships no header for it, so what is
 * used is declared here, as documented in QEMU's include/plugins/qemu-plugin.h.
 *
 * One file serves them all: it declares itself as version 2, which QEMU accepts
 * as long as its minimum is 2, and tells at run time from info->version.cur
 * whether qemu_plugin_insn_data() returns a pointer (2) or copies (3 on).
 * Version 7 changes the signatures of the callbacks; QEMU would still load this
 * file, so anything newer than API_LAST is refused before a callback is
 * registered.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counter.h"
#include "wire/wire.h"

#define API_FIRST 2 /* per-vCPU inline operations */
#define API_COPY  3 /* qemu_plugin_insn_data copies */
#define API_LAST  6 /* the last one whose callbacks look as declared here */

typedef uint64_t qemu_plugin_id_t;
typedef struct {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus, max_vcpus;
		} system;
	};
} qemu_info_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*vcpu_udata_cb)(unsigned int vcpu, void *udata);

void qemu_plugin_reset(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
						       enum qemu_plugin_op op,
						       qemu_plugin_u64 entry, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, vcpu_udata_cb cb,
					    enum qemu_plugin_cb_flags flags, void *udata);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 enum qemu_plugin_op op,
							 qemu_plugin_u64 entry, uint64_t imm);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int vcpu);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
/* Version 2: takes `insn` only and returns the address of the bytes. Version 3 on: returns the size. */
uintptr_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = API_FIRST;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

static qemu_plugin_id_t self;
static bool data_is_copied;
static struct qemu_plugin_scoreboard **scores; /* one per chunk */
static size_t n_scores;
static qemu_plugin_u64 blocks;
static const uint64_t *blocks_now;

/*
 * The memory of a scoreboard moves when vCPUs are added beyond those QEMU has
 * made room for (16), so with one vCPU it stays where it is.
 */
static uint64_t *chunk(size_t c)
{
	if (c >= n_scores) {
		scores = realloc(scores, (c + 1) * sizeof(*scores));
		if (!scores)
			abort();
		n_scores = c + 1;
	}
	scores[c] = qemu_plugin_scoreboard_new(COUNT_CHUNK * sizeof(uint64_t));
	return qemu_plugin_scoreboard_find(scores[c], 0);
}

/* `buf` has room for the longest x86 instruction and more. */
static const void *bytes_of(const struct qemu_plugin_insn *insn, uint8_t buf[16])
{
	uintptr_t r = qemu_plugin_insn_data(insn, buf, 16);

	return data_is_copied ? buf : (const void *)r;
}

static void on_string(unsigned int vcpu, void *slot)
{
	(void)vcpu;
	count_on_string(slot, *blocks_now);
}

static void translate_counting(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

static void on_armed(qemu_plugin_id_t id)
{
	/* Not at install: a scoreboard can be looked into once the vCPU is there. */
	blocks_now = qemu_plugin_scoreboard_find(blocks.score, 0);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_counting);
}

static void on_marker(unsigned int vcpu, void *mark)
{
	(void)vcpu;
	if (count_on_marker((int)(intptr_t)mark))
		qemu_plugin_reset(self, on_armed);
}

static bool is_marker(struct qemu_plugin_insn *insn, const void *bytes)
{
	int mark = count_marker(bytes, qemu_plugin_insn_size(insn));

	if (mark)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_marker, QEMU_PLUGIN_CB_NO_REGS,
						       (void *)(intptr_t)mark);
	return mark;
}

/* Until the guest has settled: only markers, so that booting costs next to nothing. */
static void translate_booting(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint8_t buf[16];

	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		is_marker(insn, bytes_of(insn, buf));
	}
}

static void translate_counting(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), index;
	uint8_t buf[16];

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, blocks,
							  1);
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const void *bytes = bytes_of(insn, buf);
		qemu_plugin_u64 counter;
		struct slot *s;

		if (is_marker(insn, bytes))
			continue;
		s = count_slot(qemu_plugin_insn_vaddr(insn), bytes, qemu_plugin_insn_size(insn),
			       &index);
		counter.score = scores[index / COUNT_CHUNK];
		counter.offset = index % COUNT_CHUNK * sizeof(uint64_t);
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
			insn, QEMU_PLUGIN_INLINE_ADD_U64, counter, count_weight(s, i));
		if (s->is_string)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_string,
							       QEMU_PLUGIN_CB_NO_REGS, s);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (!count_start(argc, argv, API_FIRST, (uint32_t)info->version.min,
			 (uint32_t)info->version.cur, info->target_name, chunk))
		return -1;
	if (info->version.cur > API_LAST) {
		fprintf(stderr, "ktoll plugin: this QEMU has plugin API %d, ktoll knows up to %d\n",
			info->version.cur, API_LAST);
		return -1;
	}
	self = id;
	data_is_copied = info->version.cur >= API_COPY;
	blocks.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_booting);
	return 0;
}
