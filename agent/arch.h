/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the agent needs in assembly. Each architecture has a file that defines
 *
 *   arch_setup()         comes first
 *   arch_mark_arm(), arch_mark_quit()  the markers
 *   arch_measure(op, n)  runs op() n times between the begin and end markers and
 *                        returns the guest clock over them, in instructions; 0 if an
 *                        interrupt made the clock unreadable
 *   ARCH_LOOP_INSNS      instructions of its loop around an operation
 *   arch_spin_1000()     exactly 1,000 instructions, the return included
 *   arch_spin(n)         about n instructions of user code
 *   arch_syscall(nr, …)  a system call: its result or -errno
 *   ARCH_PAGE_BYTES      the size of a page, if all kernels of it have the same
 *
 * To add one: such a file, a line here, and one in agent/meson.build.
 */
#ifndef KTOLL_AGENT_ARCH_H
#define KTOLL_AGENT_ARCH_H

#if defined(__x86_64__)
#include "arch_x86_64.h"
#elif defined(__powerpc64__)
#include "arch_ppc64le.h"
#elif defined(__aarch64__)
#include "arch_aarch64.h"
#elif defined(__riscv)
#include "arch_riscv64.h"
#else
#error "no such architecture: see agent/arch.h"
#endif

#endif
