#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a search costs against what people do by hand, in kernels built, from reports that are there: nothing is built.

    ktoll bisect --format json BASE OTHER -w WORKLOAD -o R.ktoll > search.json
    ktoll bisect --all --format json BASE OTHER -w WORKLOAD -o R.ktoll > ladder.json    (optional: as many kernels as steps)
    bench/bisect.py search.json [ladder.json] --minutes-per-build M

Compared are the search, the ladder, each option alone on the base, and halving by good and bad (half of the difference is
bad) over the order of the steps, as `git bisect` does. Minutes are kernels times M, the mean of the builds that were
timed: what few files see builds faster, so where most options are of that kind, all but the search take less than it says.
"""
import argparse
import itertools
import json
import sys


def read(path):
    with open(path, encoding='utf-8') as f:
        report = json.load(f)
    if report.get('schema') != 'ktoll/bisect/1':
        sys.exit('%s: no report of ktoll bisect --format json' % path)
    return report


def workload(report, name=None):
    for w in report['workloads']:
        if w['searched'] if name is None else w['workload'] == name:
            return w
    sys.exit('no workload was searched: the first report is one without --all' if name is None else
             'the ladder does not have %s' % name)


def points(w):
    """Costs by number of steps; only those that were measured."""
    at, n = {}, 0
    for rung in w['rungs']:
        n += len(rung['steps'])
        at[n] = rung['insns_per_op']
    return at


def is_bad(at, point, threshold, sign):
    """At a point, or, if both neighbours that were measured are on one side, on that side too. None: not known."""
    below = max(p for p in at if p <= point)
    above = min(p for p in at if p >= point)
    sides = {sign * (at[p] - threshold) > 0 for p in (below, above)}
    return sides.pop() if len(sides) == 1 else None


def halve(n, bad):
    """The step found and the kernels it took, both ends included."""
    good, first_bad, kernels = 0, n, 2
    while first_bad - good > 1:
        middle = (good + first_bad) // 2
        side = bad(middle)
        if side is None:
            sys.exit('point %d was not measured and its neighbours differ: give the ladder too' % middle)
        kernels += 1
        good, first_bad = (good, middle) if side else (middle, first_bad)
    return first_bad, kernels


def good_and_bad(n, at):
    threshold, sign = (at[0] + at[n]) / 2, 1 if at[n] > at[0] else -1
    found, kernels = halve(n, lambda point: is_bad(at, point, threshold, sign))
    anywhere = [halve(n, lambda point, c=culprit: point >= c)[1] for culprit in range(1, n + 1)]
    return found, kernels, min(anywhere), max(anywhere)


def search_kernels(n, deltas, share):
    """What the search takes if it knows nothing of the options: `deltas` by step. All can be set alone."""
    known = {0, n}
    parts = [(0, n)]

    def size(part):
        return abs(sum(d for step, d in deltas.items() if part[0] < step <= part[1]))
    while True:
        whole = [p for p in parts if p[1] - p[0] > 1]
        if sum(map(size, whole)) <= abs(sum(deltas.values())) * (1 - share):
            break
        part = max(whole, key=size)
        middle = (part[0] + part[1]) // 2
        known.add(middle)
        parts.remove(part)
        parts += [(part[0], middle), (middle, part[1])]
    # Each alone and all together, where that is not one of the points.
    sets = [{step} for step in deltas] + [set(deltas)]
    return len(known) + len({frozenset(s) for s in sets if s != set(range(1, len(s) + 1))})


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('search')
parser.add_argument('ladder', nargs='?')
parser.add_argument('--minutes-per-build', type=float, required=True, metavar='M')
args = parser.parse_args()

search = read(args.search)
w = workload(search)
steps, n = search['steps'], len(search['steps'])
at = points(w)
if args.ladder:
    ladder = read(args.ladder)
    if (ladder['steps'], ladder['base'], ladder['other']) != (steps, search['base'], search['other']):
        sys.exit('the ladder is of another pair')
    at = points(workload(ladder, w['workload']))
total = at[n] - at[0]
if not w['culprits']:
    sys.exit('the search found nothing to compare')


def row(name, kernels, says):
    print('%-28s %2d kernels %6.1f min  %s' % (name, kernels, kernels * args.minutes_per_build, says))


def culprit_text(c):
    return '%s (%.1f %%)' % (', '.join(o.split()[0] for o in c['options']), c['share'] * 100)


print('%s: %d steps, %g -> %g instructions per operation (%+g)' % (w['workload'], n, at[0], at[n], total))
deltas = [c['delta_per_op'] for c in w['culprits']]
# The default of --share; the report does not have it.
anywhere = [search_kernels(n, dict(zip(at_steps, deltas)), 0.9)
            for at_steps in itertools.permutations(range(1, n + 1), len(deltas))]
row('ktoll bisect', search['measured'], 'finds %s; if nothing were known and they stood anywhere: %d to %d, mean %.1f, alone and together included'
    % (', '.join(map(culprit_text, w['culprits'])), min(anywhere), max(anywhere), sum(anywhere) / len(anywhere)))
not_alone = [c for c in w['culprits'] if c['not_alone']]
misses = ', '.join(map(culprit_text, not_alone))
row('each alone, at most', n + 1 - len(not_alone), 'misses what cannot be set alone: ' + misses if misses else
    'finds all, and nothing of how they act together')
found, kernels, fewest, most = good_and_bad(n, at)
missed = [c for c in w['culprits'] if steps[found - 1] not in c['options']]
row('halving by good and bad', kernels, 'finds %s%s; wherever it stands: %d to %d'
    % (steps[found - 1].split()[0], ''.join(', misses ' + culprit_text(c) for c in missed), fewest, most))
row('ktoll bisect --all', n + 1, 'shows every step')
if args.ladder:
    wrong = [c for c in w['culprits'] for to in [steps.index(c['options'][-1]) + 1]
             if to - len(c['options']) in at and to in at
             and abs(at[to] - at[to - len(c['options'])] - c['delta_per_op']) > 1e-9]
    costs = sorted(((at[i + 1] - at[i]) / total for i in range(n) if i in at and i + 1 in at), reverse=True)
    print('the ladder %s the search; its largest steps carry %s %% of the difference'
          % ('contradicts' if wrong else 'agrees with', ', '.join('%.1f' % (c * 100) for c in costs[:4])))
