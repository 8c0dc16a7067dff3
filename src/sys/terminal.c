/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"

int colour_when_parse(const char *s, enum colour_when *ret)
{
	static const char *const names[] = { "auto", "always", "never" };

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		if (str_equal(s, names[i])) {
			*ret = (enum colour_when)i;
			return 0;
		}
	}
	return -EINVAL;
}

bool terminal_is(int fd)
{
	return isatty(fd) == 1;
}

unsigned terminal_width(int fd)
{
	struct winsize w;

	if (!terminal_is(fd) || ioctl(fd, TIOCGWINSZ, &w) < 0)
		return 0;
	return w.ws_col;
}

bool terminal_wants_colour(int fd, enum colour_when when)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	return !(no && *no) && term && !str_equal(term, "dumb") && terminal_is(fd);
}
