/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/alloc.h"

static int negative(int rc)
{
	return rc > 0 ? -rc : rc;
}

static void replace(struct error *err, enum error_blame blame, char *text)
{
	free(err->text);
	err->text = text;
	err->blame = blame;
}

int error_set(struct error *err, int rc, const char *fmt, ...)
{
	if (err) {
		va_list ap;

		va_start(ap, fmt);
		replace(err, ERROR_HOST, xvasprintf(fmt, ap));
		va_end(ap);
	}
	return negative(rc);
}

int error_blame(struct error *err, enum error_blame blame, int rc, const char *fmt, ...)
{
	if (err) {
		va_list ap;

		va_start(ap, fmt);
		replace(err, blame, xvasprintf(fmt, ap));
		va_end(ap);
	}
	return negative(rc);
}

int error_context(struct error *err, int rc, const char *fmt, ...)
{
	if (err) {
		_cleanup_free_ char *what = NULL;
		va_list ap;

		va_start(ap, fmt);
		what = xvasprintf(fmt, ap);
		va_end(ap);
		replace(err, err->blame, xasprintf("%s: %s", what, error_text(err)));
	}
	return rc;
}

const char *error_text(const struct error *err)
{
	return err && err->text ? err->text : "something failed without saying why";
}

void error_finish(struct error *err)
{
	free(err->text);
	*err = ERROR_INIT;
}
