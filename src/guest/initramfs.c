/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/initramfs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "sys/archive.h"
#include "wire/wire.h"

/* The programs of each architecture, put into the binary by embed.S. */
struct programs {
	const char *arch, *agent, *agent_end, *exit, *exit_end;
};
extern const struct programs embed_programs[], embed_programs_end[];

static const struct programs *programs_of(const char *arch)
{
	for (const struct programs *p = embed_programs; p < embed_programs_end; p++)
		if (strcmp(p->arch, arch) == 0)
			return p;
	return NULL;
}

bool initramfs_has_agent(const char *arch)
{
	return programs_of(arch);
}

const struct operation_info operation_list[] = {
#include "operations.inc"
};
const size_t operation_list_n = ARRAY_SIZE(operation_list);

const struct operation_info *operation_find(const char *name)
{
	for (size_t i = 0; i < operation_list_n; i++)
		if (strcmp(operation_list[i].name, name) == 0)
			return &operation_list[i];
	return NULL;
}

static char *encode_plan(const struct plan *plan, bool want_symbols, size_t *ret_bytes)
{
	struct wire_plan w = {
		.magic = WIRE_PLAN_MAGIC,
		.version = WIRE_VERSION,
		.n_operations = (uint32_t)plan->operations.n,
		.nonce = plan->nonce,
		.seed = plan->seed,
		.replicates = plan->replicates,
		.settle_limit_ms = plan->settle_limit_ms,
		.want_symbols = want_symbols,
	};
	struct str out = STR_INIT;

	str_add_bytes(&out, &w, sizeof(w));
	for (size_t i = 0; i < plan->operations.n; i++) {
		char name[WIRE_NAME_BYTES] = { 0 };

		strncpy(name, plan->operations.v[i], sizeof(name) - 1);
		str_add_bytes(&out, name, sizeof(name));
	}
	*ret_bytes = out.len;
	return str_take(&out);
}

int initramfs_make(const char *arch, const struct plan *plan, bool want_symbols, char **ret,
		   size_t *ret_bytes, struct error *err)
{
	const struct programs *p = programs_of(arch);
	_cleanup_free_ char *encoded = NULL;
	size_t n_bytes;
	struct cpio *c;

	if (plan->operations.n > WIRE_MAX_CELLS)
		return error_set(err, E2BIG, "more than %d workloads in one run", WIRE_MAX_CELLS);
	if (!p)
		return error_set(err, ENOENT,
				 "this ktoll was built without the program for %s guests (ktoll doctor "
				 "says what building it needs)", arch);
	encoded = encode_plan(plan, want_symbols, &n_bytes);
	c = cpio_new();
	cpio_add_dir(c, "dev", 0755);
	cpio_add_node(c, "dev/console", 0600, 5, 1);
	cpio_add_file(c, "init", 0755, p->agent, (size_t)(p->agent_end - p->agent));
	cpio_add_file(c, "exit", 0755, p->exit, (size_t)(p->exit_end - p->exit));
	cpio_add_file(c, &WIRE_PLAN_PATH[1], 0644, encoded, n_bytes);
	return cpio_finish(c, ret, ret_bytes, err);
}
