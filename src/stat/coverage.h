/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Up to which period a cost that comes every so many operations is seen. Operations are numbered in the
 * order in which they ran; regions are the windows of them that were measured, with others between. A cost
 * with period p, wherever it begins, is in at least one window if the windows, taken modulo p, cover all
 * of 0 to p.
 */
#ifndef KTOLL_COVERAGE_H
#define KTOLL_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

struct coverage_window {
	uint64_t start, n; /* operations: the first one's number, how many */
};

/*
 * The longest period, in operations, for which that holds and for all shorter ones too; tried in steps of a
 * quarter, for a function that is called several times in an operation. At most what all windows have
 * together, and 2^18 more than the longest. 0 for no windows.
 */
double coverage_period(const struct coverage_window *windows, size_t n);

#endif
