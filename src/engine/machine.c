/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/machine.h"

#include "base/alloc.h"
#include "base/str.h"

#define COMMON                                                                                     \
	"nokaslr", "norandmaps", "panic=-1", "randomize_kstack_offset=off", "loglevel=1",          \
		"random.trust_cpu=off"

/* ---- x86_64 ---- */

/*
 * A named model and what a current server has of features, as far as TCG knows
 * them in 7.2 and 10: `max` would mean something else in each QEMU. Of all
 * named AMD models this one has no vulnerability whose software mitigation
 * would sit in every function return.
 */
#define X86_CPU                                                                                    \
	"qemu64-v1,+ssse3,+sse4.1,+sse4.2,+popcnt,+aes,+pclmulqdq,+xsave,+xsaveopt,+avx,+avx2,"    \
	"+bmi1,+bmi2,+fma,+movbe,+f16c,+smep,+smap,+fsgsbase,+erms,+rdtscp,+pdpe1gb,+abm,"         \
	"+clflushopt,+arat"

static const char *const x86_params[] = {
	"console=ttyS0", "earlyprintk=serial,ttyS0,115200", COMMON, "noreplace-smp",
	"tsc=reliable",  "cryptomgr.notests", NULL,
};

/* arch/x86/entry: the entries of exceptions; those of interrupts are asm_sysvec_*. */
static const char *const x86_faults[] = { "asm_exc_", NULL };

/* ---- ppc64le ---- */

static const char *const ppc64_params[] = { "console=hvc0", COMMON, "cryptomgr.notests", NULL };

/* arch/powerpc/kernel/exceptions-64s.S, at the vectors of Power ISA 3.1, book III, 7.5. */
static const char *const ppc64_faults[] = {
	"exc_real_0x300_",  "exc_real_0x380_",  "exc_real_0x400_",  "exc_real_0x480_",
	"exc_real_0x600_",  "exc_real_0x700_",  "exc_real_0x800_",  "exc_real_0xf20_",
	"exc_real_0xf40_",  "exc_real_0xf60_",  "exc_virt_0x4300_", "exc_virt_0x4380_",
	"exc_virt_0x4400_", "exc_virt_0x4480_", "exc_virt_0x4600_", "exc_virt_0x4700_",
	"exc_virt_0x4800_", "exc_virt_0x4f20_", "exc_virt_0x4f40_", "exc_virt_0x4f60_", NULL,
};

/* ---- aarch64 ---- */

static const char *const aarch64_params[] = { "console=ttyAMA0", "earlycon", COMMON,
					      "cryptomgr.notests", NULL };

/* arch/arm64/kernel/entry-common.c: what it calls for synchronous exceptions but svc. */
static const char *const aarch64_faults[] = {
	"do_mem_abort", "do_fpsimd_acc", "do_sve_acc", "do_sme_acc",
	"do_el0_undef", "do_el1_undef",  "do_undefinstr", NULL,
};

/* ---- riscv64 ---- */

static const char *const riscv64_params[] = { "console=ttyS0", "earlycon=sbi", COMMON,
					      "cryptomgr.notests", NULL };

/* arch/riscv/kernel/entry.S: its table of exceptions, but ecall. */
static const char *const riscv64_faults[] = { "do_page_fault", "do_trap_insn_", "do_trap_load_",
					      "do_trap_store_", NULL };

static const struct machine machines[] = {
	{ "x86_64", "x86_64", "qemu-system-x86", "pc-q35-7.2", X86_CPU, x86_params, x86_faults,
	  false },
	/* POWER10 needs no flush of the first cache at every exit of the kernel; without
	 * cap-cfpc QEMU says of it that it does. */
	{ "ppc64le", "ppc64", "qemu-system-ppc", "pseries-7.2,cap-cfpc=fixed", "power10_v2.0",
	  ppc64_params, ppc64_faults, true },
	/* Version 3: the registers of version 2 are memory, and QEMU starts an instruction twice
	 * that reaches a device in the middle of a block. */
	{ "aarch64", "aarch64", "qemu-system-arm", "virt-7.2,gic-version=3", "neoverse-n1",
	  aarch64_params, aarch64_faults, false },
	/* QEMU has no versions of this machine. */
	{ "riscv64", "riscv64", "qemu-system-misc", "virt", "rv64", riscv64_params, riscv64_faults,
	  false },
};

const struct machine *machine_find(const char *arch)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (str_equal(machines[i].arch, arch))
			return &machines[i];
	return NULL;
}

#define RAM_MIB 512

unsigned machine_ram_mib(size_t root_bytes)
{
	return root_bytes ? RAM_MIB + (unsigned)(root_bytes * 3 >> 28) * 256 + 256 : RAM_MIB;
}
