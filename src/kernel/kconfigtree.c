/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/kconfigtree.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/kconfiglex.h"
#include "kernel/kconfigparse.h"

#define PREFIX "CONFIG_"
#define MAX_BLOCKS 128	    /* if, menu and choice in each other; 6.1 has 9 */
#define MAX_SOURCES 32	    /* files in each other; 6.1 has 7 */
#define MAX_FILES 8000	    /* 6.1 has 1,500 */
#define MAX_BYTES (64u << 20) /* 6.1 has 6 MiB */

enum block_kind {
	BLOCK_IF,
	BLOCK_MENU,
	BLOCK_CHOICE,
};

/* What encloses a definition. */
struct block {
	enum block_kind kind;
	const struct kexpr *depends;	/* of it and all around it */
	const struct kexpr *visible;	/* `visible if`, of it and all around it */
	struct kconfig_choice *choice;
};

/* Whose attributes the next lines are. */
enum entry_kind {
	ENTRY_NONE, /* a comment's, or nothing's: passed over */
	ENTRY_CONFIG,
	ENTRY_BLOCK, /* the innermost menu or choice */
};

struct parser {
	struct kconfigtree *tree;
	kconfigtree_read read;
	void *data;
	struct klex_vars vars;
	struct block blocks[MAX_BLOCKS];
	size_t n_blocks, n_overflow; /* overflow: deeper than that, not kept */
	enum entry_kind entry;
	struct kconfig_definition *definition; /* of ENTRY_CONFIG */
	struct klex *lex;
	const char *file;
	const char *sources[MAX_SOURCES]; /* the open files, outermost first */
	unsigned n_sources;
	size_t n_bytes;
};

static void problem(struct parser *p, const char *sentence)
{
	if (!p->tree->n_problems++)
		p->tree->problem = xasprintf("%s:%u: %s", p->file, p->lex ? p->lex->line : 0, sentence);
}

/* ---- symbols ---- */

static size_t hash(const char *s)
{
	size_t h = 2166136261u; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ h >> 15;
}

/* Where the name is or would be. */
static struct kconfig_symbol **slot_of(const struct kconfigtree *t, const char *name)
{
	size_t i = hash(name) & (t->n_slots - 1);

	while (t->slots[i] && strcmp(t->slots[i]->name, name) != 0)
		i = (i + 1) & (t->n_slots - 1);
	return &t->slots[i];
}

static void grow_slots(struct kconfigtree *t)
{
	struct kconfig_symbol **old = t->slots;
	size_t n = t->n_slots;

	t->n_slots = n ? n * 2 : 1024;
	t->slots = xcalloc(t->n_slots, sizeof(struct kconfig_symbol *));
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*slot_of(t, old[i]->name) = old[i];
	free(old);
}

struct kconfig_symbol *kconfigtree_intern(struct kconfigtree *t, const char *name)
{
	struct kconfig_symbol **slot, *s;
	char *full;
	size_t n;

	if (t->n_symbols * 2 >= t->n_slots)
		grow_slots(t);
	slot = slot_of(t, name);
	if (*slot)
		return *slot;
	n = strlen(name);
	s = arena_alloc(&t->arena, sizeof(*s));
	full = arena_alloc(&t->arena, strlen(PREFIX) + n + 1);
	memcpy(full, PREFIX, strlen(PREFIX));
	memcpy(full + strlen(PREFIX), name, n);
	s->full_name = full;
	s->name = full + strlen(PREFIX);
	t->n_symbols++;
	*slot = s;
	return s;
}

const struct kconfig_symbol *kconfigtree_find(const struct kconfigtree *t, const char *option)
{
	const struct kconfig_symbol *s;

	if (!t->n_slots)
		return NULL;
	if (str_has_prefix(option, PREFIX))
		option += strlen(PREFIX);
	s = *slot_of(t, option);
	return s && s->definitions ? s : NULL;
}

bool kconfigsymbol_has_prompt(const struct kconfig_symbol *s)
{
	for (const struct kconfig_definition *d = s->definitions; d; d = d->next)
		if (d->has_prompt)
			return true;
	return false;
}

/* ---- expressions ---- */

static char *copy_text(struct parser *p, const char *s)
{
	return arena_strndup(&p->tree->arena, s, strlen(s));
}

/* One that cannot be read is not the same as none: it is unknown. */
static const struct kexpr *parse_expr(struct parser *p, size_t *at)
{
	const struct kexpr *e = kconfigparse_expr(p->tree, p->lex, at);

	if (e)
		return e;
	problem(p, "a condition is wanted here");
	*at = p->lex->n;
	return kexpr_new_text(&p->tree->arena, KEXPR_OPAQUE, "(a condition that cannot be read)");
}

/* `if COND`, or nothing: NULL. */
static const struct kexpr *parse_if(struct parser *p, size_t *at)
{
	if (!klex_is(p->lex, *at, KLEX_WORD, "if"))
		return NULL;
	++*at;
	return parse_expr(p, at);
}

/* ---- blocks ---- */

static const struct block *innermost(const struct parser *p)
{
	static const struct block none;

	return p->n_blocks ? &p->blocks[p->n_blocks - 1] : &none;
}

static struct block *push_block(struct parser *p, enum block_kind kind)
{
	struct block b = *innermost(p);

	p->entry = kind == BLOCK_IF ? ENTRY_NONE : ENTRY_BLOCK;
	b.kind = kind;
	/* An `if` in a choice holds members of it; a menu does not. */
	if (kind != BLOCK_IF)
		b.choice = NULL;
	if (p->n_blocks == MAX_BLOCKS) {
		p->n_overflow++;
		p->entry = ENTRY_NONE;
		problem(p, "too deep");
		return NULL;
	}
	p->blocks[p->n_blocks] = b;
	return &p->blocks[p->n_blocks++];
}

/* The end of a block of this file: those before `first` belong to files around it. */
static void pop_block(struct parser *p, enum block_kind kind, size_t first)
{
	p->entry = ENTRY_NONE;
	if (p->n_overflow)
		p->n_overflow--;
	else if (p->n_blocks > first && innermost(p)->kind == kind)
		p->n_blocks--;
	else
		problem(p, "an end without its beginning");
}

static struct kconfig_choice *choice_of(struct parser *p, const char *name)
{
	struct kconfig_choice *c;

	for (c = p->tree->choices; name && c; c = c->next)
		if (str_equal(c->name, name))
			return c;
	c = arena_alloc(&p->tree->arena, sizeof(*c));
	c->name = name ? copy_text(p, name) : NULL;
	c->next = p->tree->choices;
	p->tree->choices = c;
	return c;
}

static void begin_choice(struct parser *p)
{
	const struct klex_token *name = p->lex->n > 1 ? &p->lex->tokens[1] : NULL;
	struct block *b = push_block(p, BLOCK_CHOICE);

	if (b)
		b->choice = choice_of(p, name && name->kind == KLEX_WORD ? name->text : NULL);
}

static void begin_if(struct parser *p)
{
	size_t at = 1;
	const struct kexpr *cond = parse_expr(p, &at);
	struct block *b = push_block(p, BLOCK_IF);

	if (b)
		b->depends = kexpr_and(&p->tree->arena, b->depends, cond);
}

/* ---- definitions ---- */

static void begin_config(struct parser *p)
{
	const struct block *b = innermost(p);
	struct kconfig_definition *d;
	struct kconfig_symbol *s;

	p->entry = ENTRY_NONE;
	if (p->lex->n < 2 || p->lex->tokens[1].kind != KLEX_WORD) {
		problem(p, "a name is wanted");
		return;
	}
	s = kconfigtree_intern(p->tree, p->lex->tokens[1].text);
	d = arena_alloc(&p->tree->arena, sizeof(*d));
	d->symbol = s;
	d->file = p->file;
	d->line = p->lex->line;
	d->depends = b->depends;
	d->choice = b->choice;
	*(s->last ? &s->last->next : &s->definitions) = d;
	s->last = d;
	if (d->choice) {
		*(d->choice->last ? &d->choice->last->next_member : &d->choice->members) = d;
		d->choice->last = d;
	}
	p->definition = d;
	p->entry = ENTRY_CONFIG;
}

static void set_prompt(struct parser *p, size_t at)
{
	struct arena *a = &p->tree->arena;
	struct kconfig_definition *d = p->definition;
	struct block *b = p->n_blocks ? &p->blocks[p->n_blocks - 1] : NULL;
	const char *text = at < p->lex->n ? copy_text(p, p->lex->tokens[at].text) : NULL;
	const struct kexpr *cond;

	if (!text)
		return;
	at++;
	cond = parse_if(p, &at);
	if (p->entry == ENTRY_CONFIG) {
		d->has_prompt = true;
		d->prompt_if = kexpr_and(a, b ? b->visible : NULL, cond);
	} else if (b->kind == BLOCK_CHOICE) {
		b->choice->prompt = text;
		b->visible = kexpr_and(a, b->visible, cond);
	}
}

static void add_default(struct parser *p, size_t at)
{
	struct kconfig_default *f = arena_alloc(&p->tree->arena, sizeof(*f)), **end;

	f->value = parse_expr(p, &at);
	f->cond = parse_if(p, &at);
	if (p->entry == ENTRY_CONFIG)
		end = &p->definition->defaults;
	else if (innermost(p)->kind == BLOCK_CHOICE)
		end = &innermost(p)->choice->defaults;
	else
		return;
	while (*end)
		end = &(*end)->next;
	*end = f;
}

static void set_type(struct parser *p, enum kconfig_type type, bool is_default)
{
	struct kconfig_symbol *s = p->entry == ENTRY_CONFIG ? p->definition->symbol : NULL;

	if (s && s->type == KCONFIG_UNTYPED)
		s->type = type;
	if (is_default)
		add_default(p, 1);
	else
		set_prompt(p, 1);
}

static void add_select(struct parser *p, bool is_select)
{
	struct kconfig_select *s, **end;
	size_t at = 2;

	if (p->entry != ENTRY_CONFIG || p->lex->n < 2 || p->lex->tokens[1].kind != KLEX_WORD) {
		problem(p, "select needs an option");
		return;
	}
	s = arena_alloc(&p->tree->arena, sizeof(*s));
	s->by = p->definition->symbol;
	s->target = kconfigtree_intern(p->tree, p->lex->tokens[1].text);
	s->cond = parse_if(p, &at);
	for (end = is_select ? &p->definition->selects : &p->definition->implies; *end;
	     end = &(*end)->next)
		;
	*end = s;
}

static void add_range(struct parser *p)
{
	struct kconfig_range *r, **end;
	size_t at = 1;

	if (p->entry != ENTRY_CONFIG)
		return;
	r = arena_alloc(&p->tree->arena, sizeof(*r));
	r->lo = kconfigparse_operand(p->tree, p->lex, &at);
	r->hi = kconfigparse_operand(p->tree, p->lex, &at);
	r->cond = parse_if(p, &at);
	if (!r->lo || !r->hi) {
		problem(p, "a range has two ends");
		return;
	}
	for (end = &p->definition->ranges; *end; end = &(*end)->next)
		;
	*end = r;
}

static void add_depends(struct parser *p)
{
	struct arena *a = &p->tree->arena;
	size_t at = klex_is(p->lex, 1, KLEX_WORD, "on") ? 2 : 1;
	const struct kexpr *e = parse_expr(p, &at), *cond = parse_if(p, &at);

	/* "depends on A if B" of newer kernels: without B nothing is asked. */
	if (cond)
		e = kexpr_new(a, KEXPR_OR, e, kexpr_new(a, KEXPR_NOT, cond, NULL));
	if (p->entry == ENTRY_CONFIG)
		p->definition->depends = kexpr_and(a, p->definition->depends, e);
	else if (p->entry == ENTRY_BLOCK)
		p->blocks[p->n_blocks - 1].depends = kexpr_and(a, innermost(p)->depends, e);
}

static void add_visible(struct parser *p)
{
	size_t at = 1;
	const struct kexpr *e = parse_if(p, &at);

	if (p->entry == ENTRY_BLOCK && innermost(p)->kind == BLOCK_MENU)
		p->blocks[p->n_blocks - 1].visible =
			kexpr_and(&p->tree->arena, innermost(p)->visible, e);
}

/* ---- statements ---- */

static void parse_file(struct parser *p, const char *path, char *text, size_t n_bytes);

static bool is_open(const struct parser *p, const char *path)
{
	for (unsigned i = 0; i < p->n_sources; i++)
		if (strcmp(p->sources[i], path) == 0)
			return true;
	return false;
}

/* What is not there is counted, and the rest goes on. */
static int source(struct parser *p, const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t n = 0;
	int r;

	p->entry = ENTRY_NONE;
	if (is_open(p, path) || p->n_sources == MAX_SOURCES || p->tree->n_files == MAX_FILES) {
		problem(p, "a file names itself, or there are too many");
		return -ELOOP;
	}
	r = p->read(p->data, path, &text, &n);
	if (r < 0) {
		problem(p, "a file that it names cannot be read");
		return r;
	}
	p->n_bytes += n;
	if (p->n_bytes > MAX_BYTES) {
		problem(p, "too much text");
		return -EFBIG;
	}
	p->tree->n_files++;
	parse_file(p, copy_text(p, path), text, n);
	return 0;
}

static void parse_source(struct parser *p)
{
	const struct klex_token *t = p->lex->n > 1 ? &p->lex->tokens[1] : NULL;

	if (t && (t->kind == KLEX_QUOTED || t->kind == KLEX_WORD)) {
		_cleanup_free_ char *path = xstrdup(t->text);

		source(p, path);
	} else {
		problem(p, "a file name is wanted that is known");
	}
}

static bool parse_attribute(struct parser *p, const char *word)
{
	static const struct {
		const char *word;
		enum kconfig_type type;
		bool is_default;
	} types[] = {
		{ "bool", KCONFIG_BOOL, false },       { "boolean", KCONFIG_BOOL, false },
		{ "tristate", KCONFIG_TRISTATE, false }, { "int", KCONFIG_INT, false },
		{ "hex", KCONFIG_HEX, false },	       { "string", KCONFIG_STRING, false },
		{ "def_bool", KCONFIG_BOOL, true },    { "def_tristate", KCONFIG_TRISTATE, true },
	};

	if (p->entry == ENTRY_NONE)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(word, types[i].word) == 0) {
			set_type(p, types[i].type, types[i].is_default);
			return true;
		}
	if (strcmp(word, "prompt") == 0)
		set_prompt(p, 1);
	else if (strcmp(word, "default") == 0)
		add_default(p, 1);
	else if (strcmp(word, "select") == 0 || strcmp(word, "imply") == 0)
		add_select(p, *word == 's');
	else if (strcmp(word, "range") == 0)
		add_range(p);
	else if (strcmp(word, "visible") == 0)
		add_visible(p);
	else
		return false;
	return true;
}

static bool parse_block(struct parser *p, const char *word, size_t first)
{
	static const char *const ends[] = { [BLOCK_IF] = "endif",
					    [BLOCK_MENU] = "endmenu",
					    [BLOCK_CHOICE] = "endchoice" };

	for (enum block_kind k = BLOCK_IF; k <= BLOCK_CHOICE; k++)
		if (strcmp(word, ends[k]) == 0) {
			pop_block(p, k, first);
			return true;
		}
	if (strcmp(word, "config") == 0 || strcmp(word, "menuconfig") == 0)
		begin_config(p);
	else if (strcmp(word, "if") == 0)
		begin_if(p);
	else if (strcmp(word, "menu") == 0)
		push_block(p, BLOCK_MENU);
	else if (strcmp(word, "choice") == 0)
		begin_choice(p);
	else if (strcmp(word, "source") == 0)
		parse_source(p);
	else if (strcmp(word, "comment") == 0 || strcmp(word, "mainmenu") == 0)
		p->entry = ENTRY_NONE;
	else if (strcmp(word, "depends") == 0)
		add_depends(p); /* also of a comment, where it changes nothing */
	else
		return false;
	return true;
}

static void parse_statement(struct parser *p, size_t first)
{
	const char *word = p->lex->tokens[0].text;

	/* $(error-if,…) and the like stand alone on a line. */
	if (p->lex->tokens[0].kind == KLEX_OPAQUE)
		return;
	if (p->lex->tokens[0].kind != KLEX_WORD) {
		problem(p, "a statement is wanted");
		return;
	}
	if (strcmp(word, "help") == 0 || strcmp(word, "---help---") == 0) {
		klex_skip_help(p->lex);
		return;
	}
	/* Attributes that are not known change nothing here: modules, optional, and what comes yet. */
	if (!parse_block(p, word, first) && !parse_attribute(p, word) && p->entry == ENTRY_NONE)
		problem(p, "an unknown statement");
}

static void parse_file(struct parser *p, const char *path, char *text, size_t n_bytes)
{
	const char *outer_file = p->file;
	struct klex *outer = p->lex, lex;
	size_t first = p->n_blocks;

	klex_init(&lex, text, n_bytes, &p->vars);
	p->lex = &lex;
	p->file = path;
	p->sources[p->n_sources++] = path;
	while (klex_next(&lex))
		parse_statement(p, first);
	/* Blocks end in the file they begin in. */
	if (p->n_blocks > first)
		problem(p, "a block does not end");
	p->n_blocks = first;
	p->n_overflow = 0;
	p->n_sources--;
	p->entry = ENTRY_NONE;
	p->lex = outer;
	p->file = outer_file;
	klex_finish(&lex);
}

/* ---- the whole ---- */

/* Only now are a definition's dependencies complete: they may stand below its selects. */
static void link_selects(struct kconfigtree *t, const struct kconfig_definition *d,
			 struct kconfig_select *list, bool is_select)
{
	for (struct kconfig_select *s = list; s; s = s->next) {
		struct kconfig_select **to = is_select ? &s->target->selected_by :
							 &s->target->implied_by;

		s->cond = kexpr_and(&t->arena, d->depends, s->cond);
		s->next_by = *to;
		*to = s;
	}
}

static void link_tree(struct kconfigtree *t)
{
	for (size_t i = 0; i < t->n_slots; i++) {
		if (!t->slots[i])
			continue;
		for (struct kconfig_definition *d = t->slots[i]->definitions; d; d = d->next) {
			link_selects(t, d, d->selects, true);
			link_selects(t, d, d->implies, false);
		}
		/* A member of a choice that says no type is of the choice's, which is bool. */
		if (t->slots[i]->definitions && t->slots[i]->definitions->choice &&
		    t->slots[i]->type == KCONFIG_UNTYPED)
			t->slots[i]->type = KCONFIG_BOOL;
	}
}

int kconfigtree_parse(kconfigtree_read read, void *data, const char *top,
		      const struct kconfigtree_variable *variables, size_t n_variables,
		      struct kconfigtree *ret, struct error *err)
{
	struct kconfigtree t = { 0 };
	struct parser *p = xcalloc(1, sizeof(*p));
	int r;

	*p = (struct parser){ .tree = &t, .read = read, .data = data, .file = top };
	for (size_t i = 0; i < n_variables; i++)
		klex_vars_set(&p->vars, variables[i].name, variables[i].value);
	r = source(p, top);
	klex_vars_finish(&p->vars);
	free(p);
	if (r < 0) {
		kconfigtree_finish(&t);
		return error_set(err, r, "cannot read the Kconfig file %s: %s", top, strerror(-r));
	}
	link_tree(&t);
	*ret = t;
	return 0;
}

void kconfigtree_finish(struct kconfigtree *t)
{
	free(t->slots);
	free(t->problem);
	arena_finish(&t->arena);
	*t = (struct kconfigtree){ 0 };
}
