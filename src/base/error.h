/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong, in sentences a person can act on. Functions return 0 or
 * -errno; where a person must act, the last parameter is `struct error *err`,
 * which the failing function fills and each caller may put its own context in
 * front of. Only cmd/ prints it. A NULL err is allowed everywhere.
 */
#ifndef KTOLL_ERROR_H
#define KTOLL_ERROR_H

/*
 * Who is at fault decides the exit status (design: 125, 128, 129).
 * ERROR_HOST is the default: this machine or the command's inputs.
 */
enum error_blame {
	ERROR_HOST,  /* this machine or the inputs: exit status 128 */
	ERROR_KERNEL, /* the kernel under test could not be measured: 125 */
	ERROR_USAGE, /* the command line itself: 129 */
};

struct error {
	char *text; /* owned; NULL while there is none */
	enum error_blame blame;
};

#define ERROR_INIT ((struct error){ 0 })

/* Replaces what is there by a new sentence. Returns -rc for a positive rc, rc for a negative one. */
int error_set(struct error *err, int rc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with who is at fault. */
int error_blame(struct error *err, enum error_blame blame, int rc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Puts `what: ` in front of the sentence that is there. Returns rc, which it does not look at. */
int error_context(struct error *err, int rc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The sentence, or a general one for an empty error. Never NULL. */
const char *error_text(const struct error *err);

/* Frees the sentence; the struct is then empty and usable again. */
void error_finish(struct error *err);

#define _cleanup_error_ __attribute__((cleanup(error_finish)))

#endif
