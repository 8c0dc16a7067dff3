/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plugin API 1 (QEMU 4.2 to 8.2; ktoll takes 7.2 and newer). Debian ships no
 * header for it, so what is used is declared here, as documented in QEMU's
 * docs/devel/tcg-plugins.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "counter.h"
#include "wire/wire.h"

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
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*vcpu_udata_cb)(unsigned int vcpu, void *udata);

void qemu_plugin_reset(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
					      void *ptr, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, vcpu_udata_cb cb,
					    enum qemu_plugin_cb_flags flags, void *udata);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						enum qemu_plugin_op op, void *ptr, uint64_t imm);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

static qemu_plugin_id_t self;
static uint64_t blocks;

static uint64_t *chunk(size_t c)
{
	uint64_t *p = calloc(COUNT_CHUNK, sizeof(*p));

	(void)c;
	if (!p)
		abort();
	return p;
}

static void on_string(unsigned int vcpu, void *slot)
{
	(void)vcpu;
	count_on_string(slot, blocks);
}

static void translate_counting(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

static void on_armed(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_counting);
}

static void on_marker(unsigned int vcpu, void *mark)
{
	(void)vcpu;
	if (count_on_marker((int)(intptr_t)mark))
		qemu_plugin_reset(self, on_armed);
}

static bool is_marker(struct qemu_plugin_insn *insn)
{
	int mark = count_marker(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));

	if (mark)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_marker, QEMU_PLUGIN_CB_NO_REGS,
						       (void *)(intptr_t)mark);
	return mark;
}

/* Until the guest has settled: only markers, so that booting costs next to nothing. */
static void translate_booting(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
		is_marker(qemu_plugin_tb_get_insn(tb, i));
}

static void translate_counting(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), index;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &blocks, 1);
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct slot *s;

		if (is_marker(insn))
			continue;
		s = count_slot(qemu_plugin_insn_vaddr(insn), qemu_plugin_insn_data(insn),
			       qemu_plugin_insn_size(insn), &index);
		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
							   s->count, count_weight(s, i));
		if (s->is_string)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_string,
							       QEMU_PLUGIN_CB_NO_REGS, s);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (!count_start(argc, argv, 1, (uint32_t)info->version.min,
			 (uint32_t)info->version.cur, info->target_name, chunk))
		return -1;
	self = id;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_booting);
	return 0;
}
