/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Kconfig files of a kernel tree: which options there are, and what each
 * of their definitions says about prompt, dependencies, defaults, selects and
 * choices. Everything hangs on the tree and lives as long as it does. Nothing
 * is run: what a file asks a compiler is opaque (kconfigexpr.h). Any bytes may
 * be parsed; what is no Kconfig is passed over and counted.
 */
#ifndef KTOLL_KCONFIGTREE_H
#define KTOLL_KCONFIGTREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "kernel/kconfigexpr.h"

struct kconfig_symbol;

/* `default VALUE if COND`, also of def_bool; lists keep the order of the file. */
struct kconfig_default {
	struct kconfig_default *next;
	const struct kexpr *value, *cond; /* cond: its own `if` only; NULL for none */
};

/* `select SYMBOL if COND`, `imply SYMBOL if COND`. */
struct kconfig_select {
	struct kconfig_select *next; /* of the same definition */
	struct kconfig_select *next_by; /* of the same target */
	const struct kconfig_symbol *by;
	struct kconfig_symbol *target;
	const struct kexpr *cond; /* its `if` and the dependencies of the definition; NULL: y */
};

/* `range LO HI if COND`. */
struct kconfig_range {
	struct kconfig_range *next;
	const struct kexpr *lo, *hi, *cond;
};

struct kconfig_choice {
	struct kconfig_choice *next; /* all of the tree */
	const char *name;   /* NULL for most */
	const char *prompt; /* NULL without */
	struct kconfig_definition *members, *last; /* by next_member, in the order of the file */
	struct kconfig_default *defaults;
};

struct kconfig_definition {
	struct kconfig_definition *next; /* of the same symbol */
	struct kconfig_definition *next_member; /* of the same choice */
	struct kconfig_symbol *symbol;
	const char *file;
	unsigned line;
	bool has_prompt;
	const struct kexpr *prompt_if; /* its `if`, and `visible if` of menus; NULL: none */
	const struct kexpr *depends;   /* its own and those of what it stands in; NULL: none */
	struct kconfig_default *defaults;
	struct kconfig_select *selects, *implies;
	struct kconfig_range *ranges;
	struct kconfig_choice *choice; /* NULL: member of none */
};

struct kconfig_symbol {
	const char *full_name; /* "CONFIG_PREEMPT" */
	const char *name;      /* "PREEMPT", in full_name */
	enum kconfig_type type; /* of the first definition that says one */
	struct kconfig_definition *definitions, *last; /* NULL: only named somewhere */
	struct kconfig_select *selected_by, *implied_by; /* by next_by */
};

struct kconfigtree {
	struct arena arena;
	struct kconfig_symbol **slots; /* by hash */
	size_t n_slots, n_symbols;
	struct kconfig_choice *choices;
	unsigned n_files;
	unsigned n_problems;  /* files that are missing, lines that are no Kconfig */
	char *problem;        /* the first: "FILE:LINE: SENTENCE"; NULL */
};

/*
 * Gives the text of a file of the tree, NUL or not, to be freed by the parser;
 * 0 or -errno. Paths are as the files name them, relative to the tree.
 */
typedef int (*kconfigtree_read)(void *data, const char *path, char **ret, size_t *ret_n_bytes);

/* NAME=VALUE pairs for $(NAME): ARCH, SRCARCH, srctree … What is not among them is unknown. */
struct kconfigtree_variable {
	const char *name, *value;
};

/* Parses from the file `top` on. -errno, with a sentence, if that one cannot be read. */
int kconfigtree_parse(kconfigtree_read read, void *data, const char *top,
		      const struct kconfigtree_variable *variables, size_t n_variables,
		      struct kconfigtree *ret, struct error *err);
void kconfigtree_finish(struct kconfigtree *t);

/* An option that is defined, named with or without CONFIG_; NULL. */
const struct kconfig_symbol *kconfigtree_find(const struct kconfigtree *t, const char *option);

/* For the parser: the symbol of that name, without CONFIG_, new if there was none. */
struct kconfig_symbol *kconfigtree_intern(struct kconfigtree *t, const char *name);

/* Can it be set by somebody, in some config? One without a prompt only others can. */
bool kconfigsymbol_has_prompt(const struct kconfig_symbol *s);

#endif
