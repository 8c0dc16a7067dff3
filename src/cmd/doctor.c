/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/verb.h"
#include "engine/qemu.h"
#include "guest/initramfs.h"
#include "kernel/kbuild.h"
#include "model/spec.h"
#include "sys/child.h"

static const struct option_row rows[] = { { 0 } };

/* A guest has 512 MiB and touches less than half; kernels and lists take 100 MiB. */
#define MEMORY_PER_GUEST_MIB 300
#define CACHE_WANTED_MIB 300

static bool good(const char *what, const char *found)
{
	verb_print("ok       %-10s %s\n", what, found);
	return true;
}

static bool missing(const char *what, const char *found, const char *remedy)
{
	verb_print("MISSING  %-10s %s\n         %-10s -> %s\n", what, found, "", remedy);
	return false;
}

/* What is missing here is missing only for those who want it: no reason to fail. */
static void optional(const char *verb, const char *arch, const char *found, const char *remedy)
{
	verb_print("%-8s %s %-7s %s\n", remedy ? "absent" : "ok", verb, arch, found);
	if (remedy)
		verb_print("         %*s -> %s\n", (int)strlen("build riscv64"), "", remedy);
}

static void check_kvm(const struct machine *m, const struct qemu *q)
{
	_cleanup_free_ char *obstacle = NULL;

	if (qemu_kvm_obstacle(m, q, &obstacle, NULL) == 0)
		optional("kvm", "", obstacle ? obstacle : "/dev/kvm, and a guest runs with it",
			 obstacle ? "ktoll compare --engine count needs none; --engine vm gives no verdict without" : NULL);
}

/* For qemu_probe()'s errors; owned by the caller. */
static char *remedy_for(int rc, const struct machine *m)
{
	return rc == -EINVAL ? xstrdup("unset KTOLL_QEMU_ARGS, or name the QEMU that it is for with KTOLL_QEMU") :
			       xasprintf("apt install %s", m->package);
}

static bool check_qemu(const struct machine *m)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *found = NULL, *remedy = NULL;
	struct qemu q;
	int rc = qemu_probe(m, &q, &err);
	bool ok;

	if (rc < 0) {
		remedy = remedy_for(rc, m);
		return missing("qemu", error_text(&err), remedy);
	}
	found = xasprintf("%s %s, plugin API %u", q.path, q.version, q.api);
	ok = good("qemu", found);
	switch (q.cx16) {
	case QEMU_FAULT_ABSENT:
		good("cx16", "cmpxchg16b keeps the flags it should: tried in a guest");
		break;
	case QEMU_FAULT_PRESENT:
		good("cx16", "cmpxchg16b leaves wrong flags in this QEMU: tried in a "
			     "guest; guests run with cx16=off");
		break;
	case QEMU_FAULT_UNKNOWN:
		if (strcmp(m->arch, "x86_64") == 0)
			good("cx16", "cmpxchg16b could not be tried; guests run with cx16=off");
	}
	if (q.no_sandbox)
		optional("sandbox", "", q.no_sandbox, "guests run without it: for kernels of strangers, take a QEMU that is "
			 "built with seccomp, as Debian's is");
	else
		good("sandbox", "guests run in QEMU's");
	check_kvm(m, &q);
	qemu_finish(&q);
	return ok;
}

static bool check_apt(void)
{
	struct child_result r = { 0 };
	char *const argv[] = { (char *)"apt-get", (char *)"--version", NULL };
	_cleanup_free_ char *line = NULL;
	bool ok;

	ok = child_run(argv, 30000, &r, NULL) == 0 && child_is_success(r.status);
	line = xstrndup(str_text(&r.out), strcspn(str_text(&r.out), "\n"));
	child_result_finish(&r);
	return ok ? good("apt", line) :
		    missing("apt", "no apt-get: debian: kernels cannot be fetched",
			    "run ktoll on Debian, or use what is in the cache");
}

static bool check_folder(const char *what, int (*dir)(char **, struct error *))
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *path = NULL, *found = NULL;
	struct statvfs st;
	uint64_t mib;

	if (dir(&path, &err) < 0 || access(path, W_OK) < 0)
		return missing(what, path ? path : error_text(&err),
			       "make it writable, or name another with XDG_CACHE_HOME and "
			       "XDG_DATA_HOME");
	mib = statvfs(path, &st) == 0 ? (uint64_t)st.f_bavail * st.f_frsize >> 20 : 0;
	found = xasprintf("%s, %llu MiB free", path, (unsigned long long)mib);
	return mib >= CACHE_WANTED_MIB ? good(what, found) :
					 missing(what, found, "free 300 MiB there");
}

/* Files in memory reach QEMU by this name. */
static bool check_proc(void)
{
	return file_exists("/proc/self/fd") ?
		       good("proc", "/proc is mounted") :
		       missing("proc", "/proc is not mounted", "mount -t proc proc /proc");
}

static bool check_memory(void)
{
	uint64_t mib = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >> 20;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	_cleanup_free_ char *found =
		xasprintf("%llu MiB free, %ld cores", (unsigned long long)mib, cores);

	return mib >= (uint64_t)cores * MEMORY_PER_GUEST_MIB ?
		       good("memory", found) :
		       missing("memory", found, "run fewer boots at a time: ktoll compare -j 1");
}

static void check_build(const struct arch *arch)
{
	_cleanup_free_ char *packages = kbuild_packages(arch);

	optional("build", arch->name,
		 packages ? "tools to build kernels" : "compiler and tools to build kernels", packages);
}

/* Guests of an architecture that is not this machine's. */
static void check_guest(const struct arch *arch)
{
	const struct machine *m = machine_find(arch->name);
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *found = NULL, *remedy = NULL;
	struct qemu q;
	int rc;

	if (!initramfs_has_agent(arch->name)) {
		remedy = xasprintf("apt install gcc-%s libc6-dev-%s-cross, then build ktoll anew",
				   arch->triplet, arch->debian);
		for (char *c = remedy; *c; c++)
			*c = *c == '_' ? '-' : *c;
		optional("guest", arch->name, "this ktoll has no program to run in them", remedy);
	} else if ((rc = qemu_probe(m, &q, &err)) < 0) {
		remedy = remedy_for(rc, m);
		optional("guest", arch->name, error_text(&err), remedy);
	} else {
		found = xasprintf("%s %s", q.path, q.version);
		optional("guest", arch->name, found, NULL);
		qemu_finish(&q);
	}
}

static int run_doctor(const struct verb *v, int argc, char **argv)
{
	struct options o;
	const char *value, *arch = arch_host();
	bool ok;
	int r, first;

	verb_options_init(&o, v, argc, argv);
	r = verb_option(&o, &value);
	first = o.first_operand;
	verb_options_finish(&o);
	if (r < 0)
		return verb_option_status(r);
	if (first < argc)
		return verb_usage(v, "it takes no operand, and not '%s'", argv[first]);
	if (arch)
		ok = good("machine", arch) && check_qemu(machine_find(arch));
	else
		ok = missing("machine", "an architecture ktoll does not know", "use x86_64");
	ok = check_proc() && ok;
	ok = check_apt() && ok;
	ok = check_folder("cache", dir_cache) && ok;
	ok = check_folder("records", dir_data) && ok;
	ok = check_memory() && ok;
	for (size_t i = 0; arch_at(i); i++)
		if (!str_equal(arch_at(i)->name, arch))
			check_guest(arch_at(i));
	for (size_t i = 0; arch_at(i); i++)
		check_build(arch_at(i));
	return ok ? EXIT_DONE : EXIT_HOST;
}

const struct verb verb_doctor = {
	.name = "doctor",
	.operands = "",
	.summary = "Says what this machine can do, and the command that mends what is missing",
	.options = rows,
	.run = run_doctor,
};
