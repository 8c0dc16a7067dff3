/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A study on the running kernel: it is one of the study's, and the record gets it as one side. */
#ifndef KTOLL_STUDYLIVE_H
#define KTOLL_STUDYLIVE_H

#include "cmd/show.h"
#include "cmd/studyrun.h"

/*
 * --only says which of the kernels it is, and which part where several have that name. What a kernel is compared with is
 * measured before it. 0, or an exit status after a sentence.
 */
int study_live(const struct study_run *s, const struct show_options *show);

#endif
