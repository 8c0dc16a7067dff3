/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The QEMU of this machine: where it is, what it offers to a plugin, and which
 * of its faults the count engine has to avoid. Found anew by each run of ktoll,
 * with two starts of QEMU in the usual case, one more if it has no sandbox, and one for KVM; nothing is kept on disk.
 *
 * Environment: KTOLL_QEMU names the binary and KTOLL_QEMU_ARGS what it always
 * needs ("-L DIR", split at blanks); KTOLL_PLUGIN_DIR is the folder of
 * ktoll-count-1.so and ktoll-count-2.so.
 */
#ifndef KTOLL_QEMU_H
#define KTOLL_QEMU_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "engine/machine.h"

enum qemu_fault {
	QEMU_FAULT_UNKNOWN, /* could not be tried: act as if it were there */
	QEMU_FAULT_ABSENT,
	QEMU_FAULT_PRESENT,
};

struct qemu {
	char *path;       /* the binary, with a slash in it */
	struct strv args; /* come first on every command line: "-L", DIR … */
	char *version;    /* "7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)" */
	unsigned int major, minor;
	const char *target; /* QEMU's name of the architecture; static */
	char *plugin;       /* the plugin file that fits */
	uint32_t api;       /* the plugin API it uses: 1 or 2 */
	uint32_t api_min, api_cur; /* what this QEMU offers */
	char *no_sandbox; /* what it said to "-sandbox", in a line; NULL: guests run in its sandbox */
	enum qemu_fault cx16; /* flags of cmpxchg16b are wrong: boot x86 with cx16=off */
};

/*
 * Finds the QEMU for such machines. -ENOENT no QEMU or no plugin file;
 * -ENOTSUP a QEMU that cannot serve; -EINVAL KTOLL_QEMU_ARGS without KTOLL_QEMU; the sentence says what to do. On success
 * qemu_finish() frees what `ret` owns.
 */
int qemu_probe(const struct machine *m, struct qemu *ret, struct error *err);
void qemu_finish(struct qemu *q);

/*
 * Why such machines do not run with KVM here, in one line, owned by the caller; NULL if they do.
 * On x86 a guest of a few instructions is run with it: a /dev/kvm that opens is not enough inside
 * of another virtual machine. -ECANCELED at SIGINT and SIGTERM.
 */
int qemu_kvm_obstacle(const struct machine *m, const struct qemu *q, char **ret, struct error *err);

/* A value for QEMU's "key=value,..." options, commas doubled; owned by the caller. */
char *qemu_option_value(const char *text);

/* A command line, shell-like, for the record and for whoever wants to repeat it by hand; owned by the caller. */
char *qemu_shown_command(const struct strv *argv);

/*
 * For each QEMU that runs a kernel: emulation is no boundary, so what it does not need of the system it cannot have, no
 * new processes among it. Nothing for a QEMU that was found to have no sandbox. See "-sandbox" in qemu(1).
 */
void qemu_add_sandbox(const struct qemu *q, struct strv *argv);
/* How that is in the record: "on", or "off: " and why. Owned by the caller. */
char *qemu_shown_sandbox(const struct qemu *q);

#endif
