/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine `vm`: a virtual machine for each variant, all of them up at once
 * on one processor, of which one runs at a time. With KVM their times are a
 * processor's; without, an emulator's.
 */
#ifndef KTOLL_VM_H
#define KTOLL_VM_H

#include "engine/blocks.h"
#include "engine/machine.h"
#include "model/run.h"

struct vm_options {
	const struct machine *machine;
	struct blocks_options blocks; /* n_variants and the callbacks included */
	uint64_t timeout_ms;          /* until the agent is there */
};

struct vm;

/* Finds QEMU, and whether there is KVM; `facts` are for the record's head. */
int vm_new(const struct vm_options *options, struct variant *variants, struct facts *facts, struct vm **ret,
	   struct error *err);
void vm_free(struct vm *v);
DEFINE_CLEANUP(struct vm *, vm_free)
#define _cleanup_vm_ _cleanup_(vm_freep)

/*
 * Boots all, runs all blocks, ends all. `outcomes`, one for each variant and { 0 } before, get what the
 * guests say, and the failure of a machine that died, hung or did not boot: then `*ret_failed` is true and
 * the sitting is not to be kept. Negative: this machine, or -ECANCELED.
 */
int vm_run(struct vm *v, struct sitting *s, struct outcome *outcomes, bool *ret_failed, struct error *err);

#endif
