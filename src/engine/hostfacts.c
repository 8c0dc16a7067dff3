/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/hostfacts.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "model/arch.h"
#include "sys/archive.h"
#include "sys/digest.h"
#include "sys/elf.h"

#define MAX_CONFIG_BYTES (4u << 20)

/* A file's first line, or all of it with blanks for newlines; NULL if there is none. Owned by the caller. */
static char *line_of(const char *path)
{
	char *text;

	if (file_read(path, &text, NULL, NULL) < 0)
		return NULL;
	text[strcspn(text, "\n")] = 0;
	str_make_printable(text);
	return text;
}

static void add_file(struct facts *to, const char *key, const char *path)
{
	_cleanup_free_ char *line = line_of(path);

	if (line && *line)
		facts_add(to, key, line);
}

/* The value of a key in a file of "key : value" lines; owned by the caller. */
static char *value_in(const char *path, const char *key)
{
	_cleanup_free_ char *text = NULL;
	char *at;

	if (file_read(path, &text, NULL, NULL) < 0 || !(at = strstr(text, key)))
		return NULL;
	at += strlen(key);
	at += strspn(at, "\t :");
	return xstrndup(at, strcspn(at, "\n"));
}

/* ---- the kernel ---- */

static char *config_of(const char *release)
{
	_cleanup_free_ char *packed = NULL, *path = xasprintf("/boot/config-%s", release);
	char *text = NULL;
	size_t n;

	if (file_read("/proc/config.gz", &packed, &n, NULL) == 0 &&
	    archive_unpack(packed, n, MAX_CONFIG_BYTES, &text, &n) == 0) {
		char *config = xstrndup(text, n);

		free(text);
		return config;
	}
	return file_read(path, &text, NULL, NULL) == 0 ? text : NULL;
}

void hostfacts_variant(struct variant *ret)
{
	_cleanup_free_ char *notes = NULL;
	struct variant v = { .spec = xstrdup("live") };
	struct utsname u;
	size_t n;

	uname(&u);
	v.kernel.source = xstrdup("live");
	v.kernel.arch = arch_host();
	v.kernel.release = xstrdup(u.release);
	v.kernel.image_path = xstrdup("");
	v.kernel.config = config_of(u.release);
	if (v.kernel.config)
		v.kernel.config_sha256 = digest_sha256(v.kernel.config, strlen(v.kernel.config));
	if (file_read("/sys/kernel/notes", &notes, &n, NULL) == 0)
		v.kernel.build_id = elf_notes_build_id(notes, n);
	v.cmdline = line_of("/proc/cmdline");
	if (!v.cmdline)
		v.cmdline = xstrdup("");
	*ret = v;
}

/* ---- the machine ---- */

static void add_vulnerabilities(struct facts *to)
{
	static const char dir[] = "/sys/devices/system/cpu/vulnerabilities";
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		_cleanup_free_ char *path = path_join(dir, e->d_name);
		_cleanup_free_ char *key = xasprintf("vulnerability.%s", e->d_name);

		if (*e->d_name != '.')
			add_file(to, key, path);
	}
	if (d)
		closedir(d);
}

static void add_processors(struct facts *to)
{
	_cleanup_free_ char *cpu = value_in("/proc/cpuinfo", "model name"), *flags = value_in("/proc/cpuinfo", "flags");
	_cleanup_free_ char *online = xasprintf("%ld", sysconf(_SC_NPROCESSORS_ONLN));

	if (cpu)
		facts_add(to, "cpu", cpu);
	facts_add(to, "cpus_online", online);
	add_file(to, "cpus", "/sys/devices/system/cpu/online");
	add_file(to, "smt", "/sys/devices/system/cpu/smt/control");
	add_file(to, "nodes", "/sys/devices/system/node/online");
	add_file(to, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	add_file(to, "turbo_off", "/sys/devices/system/cpu/intel_pstate/no_turbo");
	add_file(to, "boost", "/sys/devices/system/cpu/cpufreq/boost");
	add_file(to, "hypervisor", "/sys/hypervisor/type");
	if (flags)
		facts_add(to, "virtual", strstr(flags, " hypervisor") ? "yes" : "no");
	add_file(to, "product", "/sys/class/dmi/id/product_name");
}

void hostfacts_add(struct facts *to)
{
	struct utsname u;

	uname(&u);
	facts_add(to, "version", u.version);
	add_file(to, "boot_id", "/proc/sys/kernel/random/boot_id");
	add_file(to, "sched_preempt", "/sys/kernel/debug/sched/preempt");
	add_file(to, "realtime", "/sys/kernel/realtime");
	add_file(to, "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	add_file(to, "tuned", "/etc/tuned/active_profile");
	add_file(to, "lsm", "/sys/kernel/security/lsm");
	add_file(to, "selinux_enforce", "/sys/fs/selinux/enforce");
	add_file(to, "load", "/proc/loadavg");
	add_file(to, "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid");
	add_processors(to);
	add_vulnerabilities(to);
}

/* systemd's rule: the id itself is not to be given away (machine-id(5)). */
char *hostfacts_machine_id(void)
{
	_cleanup_free_ char *id = line_of("/etc/machine-id"), *product = line_of("/sys/class/dmi/id/product_uuid");
	_cleanup_free_ char *cpu = value_in("/proc/cpuinfo", "model name");
	_cleanup_free_ char *text = xasprintf("ktoll|%s|%s", id && *id ? id : product ? product : "", cpu ? cpu : "");

	return digest_sha256(text, strlen(text));
}
