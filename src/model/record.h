/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record: one SQLite file that holds a whole run. Each boot is committed
 * as a whole the moment it ends, so that whatever happens, what was measured
 * is kept and the run can go on from there. A record is read with distrust.
 *
 * The head is a set of key/value strings. Keys in use: tool_version, command,
 * created (seconds since the epoch), engine, seed, replicates, workloads
 * (comma list), key (equal for equal plans), arch, machine, cpu_model,
 * qemu_version, qemu_path, plugin_api, sandbox ("on", or "off: " and why), cx16, null_boots (see run_nulls()), host_*; of a study: study, study_part, study_text, study_kernel, study_file, bases
 * (see run_base()).
 */
#ifndef KTOLL_RECORD_H
#define KTOLL_RECORD_H

#include "base/alloc.h"
#include "base/error.h"
#include "model/run.h"
#include "model/symbols.h"

#define RECORD_SUFFIX ".ktoll"

struct record;

/*
 * -EEXIST if the file is there, but for one that holds nothing because ktoll was ended as it began it. Head and variants
 * are stored, outcomes are not looked at.
 */
int record_create(const char *path, const struct run *run, struct record **ret, struct error *err);

/* Is there a file, and does it hold anything? Whatever is wrong with it, opening it says. */
bool record_exists(const char *path);

/*
 * -ENOENT, -EBADMSG (no record), -EPROTO (a newer one), -EBUSY (somebody writes to it), -ENODATA (nothing in it yet),
 * -EPERM (there is something beside it that is not its own). For reading, neither it nor what is beside it changes.
 */
int record_open(const char *path, bool for_writing, struct record **ret, struct error *err);
void record_close(struct record *r);
DEFINE_CLEANUP(struct record *, record_close)
#define _cleanup_record_ _cleanup_(record_closep)

/*
 * Stores what a boot of one variant yielded; `variant` is its index, `null_boot` 0 or the number of a null boot. Replaces an
 * earlier outcome of this boot. Samples are stored under the null boot that they name.
 */
int record_put_outcome(struct record *r, size_t variant, unsigned null_boot, const struct outcome *o,
		       struct error *err);
/*
 * Of engines with a clock: a sitting, whose number is how many there were before; a failure beside
 * those of outcomes; something that is known only after the sitting; one more variant.
 */
int record_put_sitting(struct record *r, size_t number, const struct sitting *s, struct error *err);
int record_put_failure(struct record *r, size_t variant, const struct failure *f, struct error *err);
int record_put_fact(struct record *r, size_t sitting, const char *key, const char *value, struct error *err);
int record_add_variant(struct record *r, size_t number, const struct variant *v, struct error *err);

/* Every boot has an outcome: the run is over. */
int record_set_complete(struct record *r, struct error *err);

/* Everything but profiles and symbols. */
int record_load(struct record *r, struct run *ret, struct error *err);
/* What record_load() leaves out of one boot, into the run: for putting it into another record. */
int record_load_rest(struct record *r, struct run *run, size_t variant, struct error *err);
int record_load_profile(struct record *r, const char *profile_id, struct profile *ret,
			struct error *err);
/* What a variant's kernel executed, and what of it the compiler put there from other functions. Empty if neither is known. */
int record_load_code(struct record *r, size_t variant, struct code *ret, struct error *err);
int record_load_inlines(struct record *r, size_t variant, struct inlines *ret, struct error *err);
/* -ENODATA without symbols for this kernel. */
int record_load_symbols(struct record *r, const char *build_id, struct symbols *ret,
			struct error *err);
/*
 * The newest unfinished record in the folder whose key is the given one:
 * its path, owned by the caller, or NULL. Files that are no records, or in
 * use, are passed over.
 */
char *record_find_unfinished(const char *dir, const char *key);

#endif
