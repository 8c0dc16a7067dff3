/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/qmp.h"

#include <errno.h>
#include <string.h>

#include "sys/jsonvalue.h"

static int no_answer(int r, const char *command, struct error *err)
{
	return error_set(err, -r, "QEMU does not answer '%s': %s", command, strerror(-r));
}

/* Until a line that is the greeting, an answer or an error; events in between are dropped. */
static int answer(struct dialog *d, const char *command, const char *wanted, uint64_t deadline_ms,
		  struct error *err)
{
	for (;;) {
		_cleanup_json_ struct json *v = NULL;
		const char *line, *said;
		int r = dialog_line(d, deadline_ms, &line);

		if (r < 0)
			return no_answer(r, command, err);
		v = json_parse(line);
		if (!v)
			return error_set(err, EBADMSG, "QEMU answers '%s' with what is no JSON", command);
		if (json_get(v, wanted))
			return 0;
		said = json_text(json_get(json_get(v, "error"), "desc"));
		if (json_get(v, "error"))
			return error_set(err, EPROTO, "QEMU refuses '%s': %s", command, said ? said : "no reason");
	}
}

int qmp_command(struct dialog *d, const char *command, uint64_t deadline_ms, struct error *err)
{
	_cleanup_free_ char *text = xasprintf("{\"execute\":\"%s\"}\n", command);
	int r = dialog_send(d, text, deadline_ms);

	return r < 0 ? no_answer(r, command, err) : answer(d, command, "return", deadline_ms, err);
}

int qmp_begin(struct dialog *d, uint64_t deadline_ms, struct error *err)
{
	int r = answer(d, "greeting", "QMP", deadline_ms, err);

	return r < 0 ? r : qmp_command(d, "qmp_capabilities", deadline_ms, err);
}
