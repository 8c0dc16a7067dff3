/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/initramfs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "sys/archive.h"
#include "wire/wire.h"

/* The programs of each architecture, put into the binary by embed.S. */
struct programs {
	const char *arch, *agent, *agent_end, *exit, *exit_end;
};
extern const struct programs embed_programs[], embed_programs_end[];

/* data/selinux/policy.conf, compiled. */
extern const char embed_policy[], embed_policy_end[];

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

int initramfs_programs(const char *arch, struct guest_programs *ret, struct error *err)
{
	const struct programs *p = programs_of(arch);

	if (!p)
		return error_set(err, ENOENT,
				 "this ktoll was built without the program for %s guests (ktoll doctor "
				 "says what building it needs)", arch);
	*ret = (struct guest_programs){ p->agent, p->exit, (size_t)(p->agent_end - p->agent),
					(size_t)(p->exit_end - p->exit) };
	return 0;
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

const char *plan_item_name(const struct plan_item *i)
{
	return i->operation ? i->operation->name : i->workload->name;
}

uint32_t plan_item_sizes(const struct plan_item *i)
{
	return i->workload && i->workload->method == WORKLOAD_TWO_SIZES ? 2 : 1;
}

bool initramfs_wants_selinux(const struct strv *params)
{
	for (size_t i = 0; i < params->n; i++)
		if (str_has_prefix(params->v[i], WIRE_PARAM_SELINUX))
			return true;
	return false;
}

/* With the NUL. */
static void add_string(struct str *to, const char *s)
{
	str_add_bytes(to, s, strlen(s) + 1);
}

/* Where files are whose place does not matter, in a guest. */
#define GUEST_DIR "/files"
#define DIR_MARK  "{dir}"

/* With the NUL; the mark becomes the folder. */
static void add_filled(const struct plan *plan, struct str *to, const char *s)
{
	const char *mark;

	while (s && (mark = strstr(s, DIR_MARK))) {
		str_add_bytes(to, s, (size_t)(mark - s));
		str_add(to, plan->dir ? plan->dir : GUEST_DIR);
		s = mark + strlen(DIR_MARK);
	}
	add_string(to, s ? s : "");
}

static int encode_program(const struct plan *plan, const struct workload *w, uint32_t n_sizes,
			  struct wire_workload *head, struct str *text, struct error *err)
{
	bool is_clocked = plan->is_clocked;
	const uint64_t *sizes = is_clocked ? &w->clock_size : w->sizes, *ops = is_clocked ? &w->clock_ops : w->ops;

	head->timeout_s = (uint32_t)w->timeout_s;
	head->ready_port = w->port;
	head->once = w->is_once;
	head->n_sizes = n_sizes;
	add_filled(plan, text, w->setup);
	add_filled(plan, text, w->server);
	add_filled(plan, text, w->after);
	for (uint32_t i = 0; i < n_sizes; i++) {
		_cleanup_strv_ struct strv words = { 0 };
		int r = workload_words(w->run, sizes[i], &words, err);

		if (r < 0)
			return r;
		head->ops[i] = ops[i];
		head->n_words[i] = (uint32_t)words.n;
		for (size_t k = 0; k < words.n; k++)
			add_filled(plan, text, words.v[k]);
	}
	return 0;
}

static int encode_item(const struct plan *plan, const struct plan_item *item, struct str *out, struct error *err)
{
	struct wire_workload head = { .replicates = item->replicates };
	_cleanup_str_ struct str text = STR_INIT;
	int r = 0;

	if (item->operation)
		strncpy(head.operation, item->operation->name, sizeof(head.operation) - 1);
	else
		r = encode_program(plan, item->workload, plan->is_clocked ? 1 : plan_item_sizes(item), &head, &text,
				   err);
	head.n_bytes = text.len;
	str_add_bytes(out, &head, sizeof(head));
	str_add_bytes(out, str_text(&text), text.len);
	return r;
}

int initramfs_plan(const struct plan *plan, bool want_symbols, struct str *ret, struct error *err)
{
	struct wire_plan w = {
		.magic = WIRE_PLAN_MAGIC,
		.version = WIRE_VERSION,
		.n_workloads = (uint32_t)plan->n_items,
		.nonce = plan->nonce,
		.seed = plan->seed,
		.settle_limit_ms = plan->settle_limit_ms,
		.want_symbols = want_symbols,
	};
	int r = 0;

	str_add_bytes(ret, &w, sizeof(w));
	for (size_t i = 0; r == 0 && i < plan->n_items; i++)
		r = encode_item(plan, &plan->items[i], ret, err);
	return r;
}

/* Files of the workloads, with the folders they are in. */
static void add_files(struct cpio *c, const struct plan *plan, const struct workload *w)
{
	for (size_t i = 0; i < w->n_files; i++) {
		const struct workload_file *f = &w->files[i];
		_cleanup_str_ struct str text = STR_INIT;
		_cleanup_free_ char *path = *f->path == '/' ? xstrdup(f->path) : path_join(GUEST_DIR, f->path);

		for (const char *slash = strchr(path + 1, '/'); slash;
		     slash = strchr(slash + 1, '/')) {
			_cleanup_free_ char *dir = xstrndup(path + 1, (size_t)(slash - path - 1));

			cpio_add_dir(c, dir, 0755);
		}
		add_filled(plan, &text, f->text);
		cpio_add_file(c, path + 1, f->mode, str_text(&text), text.len - 1);
	}
}

int initramfs_files(const struct plan *plan, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < plan->n_items; i++) {
		const struct workload *w = plan->items[i].workload;

		for (size_t k = 0; w && r == 0 && k < w->n_files; k++) {
			_cleanup_free_ char *path = path_join(plan->dir, w->files[k].path);
			_cleanup_str_ struct str text = STR_INIT;

			add_filled(plan, &text, w->files[k].text);
			r = file_write(path, str_text(&text), text.len - 1, err);
			if (r == 0 && chmod(path, w->files[k].mode) < 0)
				r = error_set(err, errno, "%s: %s", path, strerror(errno));
		}
	}
	return r;
}

/* The root in front: the kernel unpacks one archive behind the other. */
static int put_together(const char *root, const char *image, size_t n_bytes, size_t *ret_bytes,
			struct error *err)
{
	int fd = file_memory("initramfs", NULL, 0, err), r = 0;

	if (fd < 0)
		return fd;
	if (root)
		r = file_copy_to(root, fd, err);
	if (r == 0) {
		r = fd_write_all(fd, image, n_bytes);
		if (r < 0)
			error_set(err, r, "cannot fill the initramfs: %s", strerror(-r));
	}
	if (r < 0) {
		close(fd);
		return r;
	}
	*ret_bytes = (size_t)lseek(fd, 0, SEEK_CUR);
	return fd;
}

int initramfs_make(const char *arch, const struct plan *plan, bool want_symbols, size_t *ret_bytes,
		   struct error *err)
{
	struct guest_programs p;
	_cleanup_str_ struct str encoded = STR_INIT;
	_cleanup_free_ char *image = NULL;
	size_t n_bytes;
	struct cpio *c;
	int r;

	if (plan->n_items > WIRE_MAX_WORKLOADS)
		return error_set(err, E2BIG, "more than %d workloads in one run", WIRE_MAX_WORKLOADS);
	r = initramfs_programs(arch, &p, err);
	if (r == 0)
		r = initramfs_plan(plan, want_symbols, &encoded, err);
	if (r < 0)
		return r;
	c = cpio_new();
	cpio_add_dir(c, "dev", 0755);
	cpio_add_node(c, "dev/console", 0600, 5, 1);
	cpio_add_file(c, "init", 0755, p.agent, p.agent_bytes);
	cpio_add_file(c, "exit", 0755, p.exit, p.exit_bytes);
	cpio_add_file(c, &WIRE_PLAN_PATH[1], 0644, str_text(&encoded), encoded.len);
	if (plan->selinux)
		cpio_add_file(c, &WIRE_SELINUX_POLICY[1], 0644, embed_policy,
			      (size_t)(embed_policy_end - embed_policy));
	for (size_t i = 0; i < plan->n_items; i++)
		if (plan->items[i].workload)
			add_files(c, plan, plan->items[i].workload);
	r = cpio_finish(c, &image, &n_bytes, err);
	return r < 0 ? r : put_together(plan->root, image, n_bytes, ret_bytes, err);
}
