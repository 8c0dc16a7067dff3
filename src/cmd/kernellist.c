/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/kernellist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/kernelfind.h"
#include "debian/debversion.h"
#include "kernel/debian.h"
#include "model/spec.h"

#define PREFIX "debian:"

/* Has it, so that the lists which name its neighbours are there. */
static int fetch(const char *text, const char **ret_arch, struct error *err)
{
	struct kernel k = { 0 };
	struct spec spec;
	int r = spec_parse(text, &spec, err);

	if (r < 0)
		return r;
	r = kernel_find(&spec, &k, err);
	*ret_arch = spec.arch;
	kernel_finish(&k);
	spec_finish(&spec);
	return r;
}

static int by_version(const void *a, const void *b)
{
	return deb_version_compare(*(char *const *)a, *(char *const *)b);
}

/* Series between the two, both included: "6.12", but not "6.12-rt". */
static int between(const char *arch, const char *from, const char *to, struct strv *ret, struct error *err)
{
	struct debian_kernel *kernels;
	size_t n;
	int r = debian_list(arch, &kernels, &n, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		const char *series = kernels[i].spec + strlen(PREFIX);

		if (str_has_prefix(kernels[i].spec, PREFIX) && !series[strspn(series, "0123456789.")] &&
		    deb_version_compare(series, from) >= 0 && deb_version_compare(series, to) <= 0 &&
		    !strv_has(ret, series))
			strv_add(ret, series);
	}
	debian_kernels_free(kernels, n);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_version);
	return 0;
}

static int expand(const char *text, const char *dots, struct strv *ret, struct error *err)
{
	const char *settings = strchrnul(text, ',');
	_cleanup_free_ char *from = xstrndup(text + strlen(PREFIX), (size_t)(dots - text) - strlen(PREFIX));
	_cleanup_free_ char *to = xstrndup(dots + 2, (size_t)(settings - dots) - 2);
	_cleanup_free_ char *first = xasprintf(PREFIX "%s%s", from, settings);
	_cleanup_free_ char *last = xasprintf(PREFIX "%s%s", to, settings);
	_cleanup_strv_ struct strv series = { 0 };
	const char *arch;
	int r = deb_version_compare(from, to) > 0 ?
			error_blame(err, ERROR_USAGE, EINVAL, "%s: the first is newer than the last; say " PREFIX "%s..%s%s", text, to, from,
				    settings) :
			fetch(first, &arch, err);

	if (r == 0)
		r = fetch(last, &arch, err);
	if (r == 0)
		r = between(arch, from, to, &series, err);
	for (size_t i = 0; r == 0 && i < series.n; i++)
		strv_addf(ret, PREFIX "%s%s", series.v[i], settings);
	return r;
}

int kernellist_expand(char **operands, int n, struct strv *ret, struct error *err)
{
	int r = 0;

	for (int i = 0; r == 0 && i < n; i++) {
		const char *dots = str_has_prefix(operands[i], PREFIX) ? strstr(operands[i], "..") : NULL;

		if (dots && dots < strchrnul(operands[i], ','))
			r = expand(operands[i], dots, ret, err);
		else
			strv_add(ret, operands[i]);
	}
	return r;
}
