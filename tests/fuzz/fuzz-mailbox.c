/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/mailbox.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mailbox m = { 0 };

	mailbox_parse(data, size, &m);
	mailbox_finish(&m);
	return 0;
}
