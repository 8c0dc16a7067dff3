/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run: what was asked (head, variants, workloads) and what came of it
 * (outcomes of boots). Plain data between engine, record, explain and report;
 * every pointer is owned unless it says otherwise.
 */
#ifndef KTOLL_RUN_H
#define KTOLL_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "model/code.h"
#include "model/inlines.h"
#include "model/kernel.h"
#include "model/profile.h"
#include "model/sitting.h"

/* A sample is a region of guest time; hundreds of them only cost time. */
#define RUN_MAX_REPLICATES 50
/* Null boots of a variant: their number is one digit of the command line. */
#define RUN_MAX_NULLS 9
/* The operation whose answer is known, in each boot that has operations. */
#define RUN_CONTROL "spin"

/* A kernel plus its boot parameters. */
struct variant {
	char *name;    /* for the tables, unique in the run */
	char *spec;    /* as given */
	struct kernel kernel;
	char *cpu;     /* asked for; NULL: the engine's */
	struct strv params;  /* boot parameters asked for */
	struct strv dropped; /* of ktoll's own boot parameters, asked to be left out */
	char *cmdline; /* complete, as the kernel gets it; equally long for all of a run */
};

void variant_finish(struct variant *v);

/* A figure that a program printed. */
struct metric {
	char *name, *unit;
	bool is_higher_better;
	double value;
};

/* In records that do not have them. */
#define SAMPLE_LEAD_UNKNOWN UINT64_MAX

/* One cell: one variant, one workload, one replicate; of a program also one of its sizes. */
struct sample {
	char *workload;
	uint32_t size; /* 0, or 1 for the larger one */
	uint32_t replicate;
	uint32_t null_boot; /* 0: the variant's first boot */
	uint64_t ops;     /* operations in the region */
	uint64_t lead_ops; /* and right before it, unseen; or SAMPLE_LEAD_UNKNOWN */
	/* Instructions. started = clock + restarts; an iteration of a string instruction is one. */
	uint64_t started;
	uint64_t clock;
	uint64_t kernel_insns, user_insns; /* started, without string iterations */
	uint64_t string_iters, kernel_string_iters;
	uint64_t locked;   /* executions of instructions with a LOCK prefix */
	uint64_t faults;   /* executions of fault entries: the limit of restarts */
	uint64_t halts;    /* the CPU went idle so many times */
	uint64_t ticks;    /* interrupts in the region: timer ticks, mostly */
	uint32_t tries;
	uint32_t phase;    /* instructions between the last tick and the region */
	bool is_tick;      /* the kernel's part is the result: see sample_insns() */
	bool is_program;   /* no operation of the agent */
	struct metric *metrics; /* the main one first */
	size_t n_metrics, cap_metrics;
	char *output; /* what the program printed, printable; NULL for an operation, and in a sample that was read */
	struct profile profile; /* empty in a sample read without profiles */
	char *profile_id, *output_id; /* in the record */
};

/* Instructions executed for the operations: no string iterations, no restarts; for `tick` the kernel's. */
uint64_t sample_insns(const struct sample *s);
/* String iterations that belong to it. */
uint64_t sample_string_iters(const struct sample *s);
void sample_finish(struct sample *s);

/* The stage of a boot that the host lost: no result of the kernel's, and measured again. */
#define FAILURE_LOST "lost"

struct failure {
	char *workload; /* NULL: the whole boot */
	char *stage;    /* "kernel", "boot", "operation", "self-check", "control" */
	char *message;
	char *log_tail; /* end of the console; NULL where there is none */
};

void failure_finish(struct failure *f);

/*
 * What one boot yielded; or, of a variant in a record, its first boot with the programs' samples of all. A null boot is the
 * first one again, but for what means nothing to a kernel: a digit of the command line, the phases and environment sizes of
 * programs. Only programs are run in it.
 */
struct outcome {
	bool done;            /* it ran; false: still to do, also if the host lost it (a failure at FAILURE_LOST) */
	uint32_t nulls_done;  /* of a variant: bit i is set if null boot i ran */
	uint64_t nulls_ms;    /* and what all of them took on the host */
	char *command;        /* the engine's exact command line */
	char *console;        /* printable, the last 64 KiB */
	struct facts guest;   /* what the agent said */
	struct sample *samples;
	size_t n_samples, cap_samples;
	struct failure *failures;
	size_t n_failures, cap_failures;
	char *symbols;        /* symbols_parse() text; NULL if not asked for */
	size_t symbols_bytes;
	struct code code;     /* what the kernel executed, over all samples; empty in an outcome that was read */
	struct inlines inlines; /* of that code; empty without debug information, and in an outcome that was read */
	uint64_t wall_ms;     /* of the boot, on the host */
	uint64_t booted_ms;   /* until the first region, on the host; 0 if none came */
};

struct failure *outcome_add_failure(struct outcome *o, const char *workload, const char *stage,
				    const char *message, const char *log_tail);
void outcome_finish(struct outcome *o);

struct run {
	struct facts head; /* see record.h for the keys */
	struct variant *variants;
	struct outcome *outcomes; /* one boot per variant */
	size_t n_variants;
	struct sitting *sittings; /* of engines with a clock */
	size_t n_sittings, cap_sittings;
	char *path;        /* of the record */
	bool complete;
};

void run_finish(struct run *r);

/*
 * What a variant is compared with: the first one, unless the head has `bases`, numbers with spaces, one per variant. The
 * first variant is compared with nothing: itself.
 */
size_t run_base(const struct run *r, size_t variant);

/* Null boots of each variant that has programs; 0 in a record of before, and of engines with a clock. */
unsigned run_nulls(const struct run *r);
/* Has the outcome anything of a program? Else null boots have nothing to do. */
bool outcome_has_programs(const struct outcome *o);

/* Did the host lose a boot of it? */
bool run_has_lost(const struct run *r);

/* The CPU model that a variant had, with its flags: its own or the machine's; "unknown" in a record that does not say. */
const char *run_cpu_model(const struct run *r, size_t variant);
/* Of all variants, without flags: one name if it is one model, else "qemu64-v1; NAME: EPYC". Owned by the caller. */
char *run_cpu_models(const struct run *r);

/* none, voluntary, full, lazy or rt from what the guest said and its config; NULL if neither tells. Static. */
const char *run_preempt_model(const struct outcome *o, const struct kernel *k);

#endif
