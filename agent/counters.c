/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counters.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
	bool no_user, no_kernel;
	int fd;
	uint64_t start;
} events[] = {
	{ "cycles-kernel", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, false, -1, 0 },
	{ "cycles-user", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, true, -1, 0 },
	{ "instructions-kernel", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, false, -1, 0 },
	{ "instructions-user", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false, true, -1, 0 },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false, false, -1, 0 },
};
#define N_EVENTS (sizeof(events) / sizeof(events[0]))

static struct rusage self, children;

void counters_open(void)
{
	for (unsigned i = 0; i < N_EVENTS; i++) {
		struct perf_event_attr attr = {
			.type = events[i].type,
			.size = sizeof(attr),
			.config = events[i].config,
			.inherit = 1,
			.exclude_user = events[i].no_user,
			.exclude_kernel = events[i].no_kernel,
			.exclude_hv = 1,
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		};

		events[i].fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
					    PERF_FLAG_FD_CLOEXEC);
	}
}

/* A counter that did not count all the time, for want of registers, would be an estimate: it is left out. */
static bool read_event(const struct event *e, uint64_t *ret)
{
	uint64_t v[3];

	if (e->fd < 0 || read(e->fd, v, sizeof(v)) != sizeof(v) || v[1] != v[2])
		return false;
	*ret = v[0];
	return true;
}

void counters_begin(void)
{
	for (unsigned i = 0; i < N_EVENTS; i++)
		if (!read_event(&events[i], &events[i].start)) {
			close(events[i].fd);
			events[i].fd = -1;
		}
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
}

void counters_text(char *buf, size_t n_bytes)
{
	struct rusage s, c;
	uint64_t now;
	int n;

	getrusage(RUSAGE_SELF, &s);
	getrusage(RUSAGE_CHILDREN, &c);
	n = snprintf(buf, n_bytes, " voluntary-switches=%ld involuntary-switches=%ld minor-faults=%ld major-faults=%ld",
		     s.ru_nvcsw + c.ru_nvcsw - self.ru_nvcsw - children.ru_nvcsw,
		     s.ru_nivcsw + c.ru_nivcsw - self.ru_nivcsw - children.ru_nivcsw,
		     s.ru_minflt + c.ru_minflt - self.ru_minflt - children.ru_minflt,
		     s.ru_majflt + c.ru_majflt - self.ru_majflt - children.ru_majflt);
	for (unsigned i = 0; i < N_EVENTS && n > 0 && (size_t)n < n_bytes; i++)
		if (read_event(&events[i], &now))
			n += snprintf(buf + n, n_bytes - (size_t)n, " %s=%llu", events[i].name,
				      (unsigned long long)(now - events[i].start));
}
