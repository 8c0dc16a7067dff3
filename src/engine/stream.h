/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of the plugin's profile stream (wire/wire.h): fed with bytes as they
 * come out of the pipe, gives whole regions. The bytes come from a child that
 * runs a guest, so any bytes are possible.
 */
#ifndef KTOLL_STREAM_H
#define KTOLL_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "model/code.h"
#include "model/profile.h"
#include "wire/wire.h"

struct stream_region {
	struct profile profile;
	uint64_t started, locked, halts; /* as in struct wire_region */
	bool is_taken;                   /* by a cell */
};

struct stream {
	struct str pending;  /* not yet parsed */
	bool has_header;
	struct wire_stream_header header;
	struct stream_region *regions; /* by index, without gaps */
	size_t n_regions, cap_regions;
	size_t n_counts;     /* in all regions */
	struct code code;    /* of the kernel, over all regions */
	bool quit;           /* the guest asked for its end */
};

/* -EBADMSG: the bytes are no such stream; -EPROTO: of another version. Nothing may follow then. */
int stream_feed(struct stream *s, const void *bytes, size_t n_bytes, struct error *err);
void stream_finish(struct stream *s);

#endif
