/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plugin, the agent and the host say to each other. Everything is
 * fixed-width and little-endian; a reader refuses another version. Nothing
 * here may be trusted by the host: the guest and a stored stream can hold any
 * bytes (see engine/stream.c and guest/mailbox.c).
 *
 * Three streams:
 *  - the plan, host to agent: the file WIRE_PLAN_PATH in the initramfs;
 *  - the report, agent to host: pages in guest RAM, found by their magic;
 *  - the profile, plugin to host: frames through a pipe.
 *
 * And the markers: instructions without effect that the agent executes and the
 * plugin recognises by their bytes when QEMU translates them.
 */
#ifndef KTOLL_WIRE_H
#define KTOLL_WIRE_H

#ifndef __ASSEMBLER__
#include <stdint.h>
#endif

#define WIRE_VERSION 5

/* ---- markers ---- */

/* The low byte of the marker's magic number says which one it is. */
#define WIRE_MARK_BEGIN 0x11 /* a region opens behind this instruction */
#define WIRE_MARK_END   0x22 /* and closes in front of this one */
#define WIRE_MARK_ARM   0x33 /* booted and settled: count from here on */
#define WIRE_MARK_QUIT  0x44 /* the report is complete: end the machine */

/* x86: the 9-byte NOP `66 0f 1f 84 00 disp32` with disp32 = 0x544f4c00 | mark. */
#define WIRE_MARK_X86_DISP 0x544f4c00u
/* ppc64le: `twi 0,0,SI`, SI = 0x4c00 | mark: this is the instruction with mark 0. */
#define WIRE_MARK_PPC64 0x0c004c00
/* aarch64: `movz xzr, #IMM`, IMM = 0x4c00 | mark. */
#define WIRE_MARK_AARCH64_IMM 0x4c00
/* riscv64: `lui x0, IMM`, IMM = 0x4c400 | mark. */
#define WIRE_MARK_RISCV64_IMM 0x4c400

#ifndef __ASSEMBLER__

/* ---- plan ---- */

#define WIRE_PLAN_PATH  "/plan"
#define WIRE_PLAN_MAGIC 0x4e4c504c4c4f544bull /* "KTOLLPLN" */
#define WIRE_NAME_BYTES 24
#define WIRE_MAX_WORKLOADS 512

struct wire_plan {
	uint64_t magic;
	uint32_t version;
	uint32_t n_workloads;
	uint64_t nonce; /* marks this boot's report pages */
	uint64_t seed;  /* tick phases and guest entropy are drawn from it */
	uint32_t settle_limit_ms; /* virtual; settling ends here at the latest */
	uint32_t want_symbols;    /* 1: report the kernel's functions, after everything else */
	/* followed by n_workloads of struct wire_workload, each with its text */
};

#define WIRE_SIZES 2

/* Workloads are called by their place in the plan, from 0. */
struct wire_workload {
	char operation[WIRE_NAME_BYTES]; /* built in; empty for a program */
	uint32_t replicates;
	/* A program: */
	uint32_t timeout_s;   /* virtual, for one run */
	uint32_t n_sizes;     /* it is run at so many sizes in turn */
	uint32_t n_words[WIRE_SIZES]; /* of the command line at each size */
	uint32_t ready_port;  /* on 127.0.0.1, that has to accept before a run; 0: none */
	uint32_t once;        /* 1: it can be run a single time in a boot: no run before, one replicate */
	uint32_t reserved;
	uint64_t ops[WIRE_SIZES];
	uint64_t n_bytes;     /* of the text: setup, server, after (empty: none), words, words; NUL behind each */
};

/*
 * On the kernel's command line: the number of a null boot, which is the boot 0 once more but for what means nothing: this digit,
 * and what is drawn with it (the phases and the environment's sizes of programs). Operations are run in boot 0 alone.
 */
#define WIRE_PARAM_NULL "ktoll.null="
/* And: programs run in the root memory cgroup, not in one of their own. */
#define WIRE_PARAM_MEMCG_ROOT "ktoll.memcg=root"
/* And: the policy is loaded, and enforced or only asked. */
#define WIRE_PARAM_SELINUX    "ktoll.selinux="
#define WIRE_SELINUX_POLICY   "/selinux-policy"

/* ---- blocks ---- */

/*
 * Engines with a clock have the agent run blocks, one at a command. Commands are lines, W is the
 * place of a workload in the plan:
 *   ready W       set-up, server, and a first run that is not reported
 *   run W N       a block: N operations, or one run of a program
 *   over W        what it left is removed
 *   quit
 * Each is answered, as is the agent's start, by a line that begins with WIRE_ANSWER; others are
 * the kernel's. "ok NAME=NUMBER … output=BYTES", of a block with ops, ns, and what was counted;
 * or "failed output=BYTES SENTENCE". Behind it come that many bytes of a program's output.
 */
#define WIRE_ANSWER "ktoll: "
/* On the kernel's command line: the plan is not run by itself, commands come in on the console. */
#define WIRE_PARAM_SERVE "ktoll.serve"

/* ---- report ---- */

/*
 * The report is a byte stream cut into pages. The agent allocates a page of
 * RAM (4096 bytes, aligned) for each, and keeps header and checksum right
 * after every frame, so that what is there can be read at any moment, also
 * after a panic.
 */
#define WIRE_PAGE_BYTES   4096
#define WIRE_PAGE_MAGIC   0x3147504c4c4f544bull /* "KTOLLPG1" */
#define WIRE_PAGE_PAYLOAD (WIRE_PAGE_BYTES - 32)

struct wire_page {
	uint64_t magic;
	uint64_t nonce;
	uint32_t index;   /* 0, 1, 2 … */
	uint32_t n_bytes; /* of the payload in use */
	uint32_t crc;     /* CRC-32 of nonce, index, n_bytes and the used payload */
	uint32_t reserved;
	uint8_t payload[WIRE_PAGE_PAYLOAD];
};

/* The stream holds frames: this header, then n_bytes of body. */
struct wire_frame {
	uint32_t kind;
	uint32_t n_bytes;
};

enum wire_report_kind {
	WIRE_REPORT_INFO = 1,    /* "key\0value": what the guest knows about itself */
	WIRE_REPORT_CELL = 2,    /* struct wire_cell */
	WIRE_REPORT_FAILED = 3,  /* struct wire_failed, then a sentence */
	WIRE_REPORT_SYMBOLS = 4, /* a piece of text: "ADDR NAME\n", sorted or not */
	WIRE_REPORT_END = 5,     /* nothing follows */
	WIRE_REPORT_OUTPUT = 6,  /* what the program printed whose cell comes next */
};

/* Of WIRE_REPORT_INFO: the last that the agent says before it settles; it has told of the guest. */
#define WIRE_INFO_TOLD "told"
/* Boot parameters that the kernel says it does not know, with blanks between them; absent if it knows all. */
#define WIRE_INFO_UNKNOWN "unknown_parameters"
/* Instructions of the operation spin, by the agent's own code. */
#define WIRE_INFO_SPIN "spin_insns"

/* Of what a program prints, the end is kept. */
#define WIRE_OUTPUT_BYTES 65536

struct wire_failed {
	uint32_t workload;
	uint32_t n_output; /* behind the sentence: so many bytes of what was printed */
};

struct wire_cell {
	uint32_t workload;
	uint32_t size;   /* of a program: which of its sizes */
	uint32_t replicate;
	uint32_t lead_ops; /* operations run right before the region, unseen */
	uint32_t region; /* the how-manyth region since the machine started, from 0 */
	uint64_t ops;    /* operations in the region */
	uint64_t clock;  /* guest clock over the region, in instructions, markers subtracted */
	uint64_t ticks;  /* interrupts in or right before the region: timer ticks, mostly */
	uint32_t tries;  /* regions opened for this cell, the last one counts */
	uint32_t phase;  /* instructions of user code between the tick and the region, drawn */
};

/* ---- profile ---- */

#define WIRE_INSN_BYTES 15 /* the longest instruction, of x86 */
#define WIRE_STREAM_MAGIC 0x314d53504c4c544bull /* "KTLLPSM1" */

/* First thing on the pipe. */
struct wire_stream_header {
	uint64_t magic;
	uint32_t version;
	uint32_t api;       /* plugin API in use */
	uint32_t qemu_api_min, qemu_api_cur;
	char target[16];    /* QEMU's name of the guest architecture */
};

enum wire_stream_kind {
	WIRE_STREAM_REGION = 1, /* struct wire_region, then its struct wire_count */
	WIRE_STREAM_QUIT = 2,   /* the guest asked for the end */
};

struct wire_region {
	uint32_t index;    /* from 0, in order */
	uint32_t n_counts;
	uint64_t total;    /* sum of all counts */
	uint64_t locked;   /* executions of instructions with a LOCK prefix, or that write atomically */
	uint64_t halts;    /* times the CPU was told to wait for an interrupt (hlt, wfi, H_CEDE) */
};

/*
 * One instruction address. A count that is 0 is not sent. Sorted by address. Code that was
 * patched inside the region has the bytes that were executed most.
 */
struct wire_count {
	uint64_t addr;
	uint64_t count;   /* times it was started: iterations and restarts included */
	uint64_t entries; /* string instruction: times it was entered; 0 for any other */
	uint8_t len;      /* 1 to WIRE_INSN_BYTES */
	uint8_t bytes[WIRE_INSN_BYTES]; /* zeros behind the length */
};

#endif /* __ASSEMBLER__ */

#endif
