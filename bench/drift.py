#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A planted effect of 2 % on a processor that loses up to 20 % of its time to another process while it is measured:
blocks that take turns against all of one side before all of the other. Usage: drift.py KTOLL [RUNS]"""
import json
import os
import subprocess
import sys
import tempfile
import time

ktoll = os.path.abspath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 20
cpu = max(os.sched_getaffinity(0))
tmp = tempfile.TemporaryDirectory(prefix='ktoll-drift-')
os.chdir(tmp.name)

WORK = r'''
#include <stdio.h>
#include <stdlib.h>
/* One copy of the loop: where a loop lies can make it 8 % faster. */
__attribute__((noinline, noclone)) static void spin(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) __asm__ volatile("");
}
/* N times round it; EXTRA more where the file says 1. */
int main(int argc, char **argv)
{
	FILE *f = fopen(argv[1], "r");
	unsigned long n = strtoul(argv[2], NULL, 10);
	if (!f) return 1;
	if (fgetc(f) == '1') n += strtoul(argv[3], NULL, 10);
	spin(n);
	return 0;
}
'''
RAMP = r'''
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
/* Of every 2 ms it takes a share that rises from 0 to a fifth over the given seconds. */
int main(int argc, char **argv)
{
	double start = now(), length = atof(argv[1]);
	for (;;) {
		double begin = now(), share = (begin - start) / length * 0.2;
		struct timespec rest;
		if (share > 0.2) share = 0.2;
		while (now() - begin < 0.002 * share) ;
		rest = (struct timespec){ 0, 2000000 * (1 - share) };
		nanosleep(&rest, NULL);
	}
}
'''


def compile_c(name, text):
    with open(name + '.c', 'w') as f:
        f.write(text)
    subprocess.run(['cc', '-O1', '-static', '-o', name, name + '.c'], check=True)


def write(text):
    with open('knob', 'w') as f:
        f.write(text + '\n')


compile_c('work', WORK)
compile_c('ramp', RAMP)
write('0')
# Short blocks: what disturbs the machine for a while then falls on both sides of a round.
LOOPS = 20000000


def median_s(loops):
    times = []
    for _ in range(31):
        before = time.monotonic()
        subprocess.run(['./work', 'knob', str(loops), '0'], check=True)
        times.append(time.monotonic() - before)
    return sorted(times)[15]


os.sched_setaffinity(0, {cpu})
start_s, block_s = median_s(1), median_s(LOOPS)
os.sched_setaffinity(0, range(os.cpu_count()))
# Two per cent of a whole block, its start and end included.
extra = int(0.02 * LOOPS * block_s / (block_s - start_s))
ROUNDS = 120
# All blocks of a run, the first ones that are not reported, and what ktoll itself takes.
length = block_s * (4 * ROUNDS + 2) * 1.12 + 0.3
workload = 'cmd:%s/work %s/knob %d %d' % (tmp.name, tmp.name, LOOPS, extra)


def live(args, record, seed):
    subprocess.run([ktoll, 'live', *args, '-w', workload, '-r', str(ROUNDS), '--cpu', str(cpu), '--seed', str(seed),
                    '-o', record], check=True, stdout=subprocess.DEVNULL)


def comparison(record):
    out = subprocess.run([ktoll, 'report', '--format', 'json', record], capture_output=True, text=True,
                         check=True).stdout
    return json.loads(out)['comparisons'][0]


def ramp():
    return subprocess.Popen(['taskset', '-c', str(cpu), './ramp', str(length)])


def turns(values, seed):
    record = 'turns-%s-%d.ktoll' % (values.replace(',', ''), seed)
    p = ramp()
    live([tmp.name + '/knob=' + values], record, seed)
    p.kill()
    p.wait()
    return comparison(record)


def one_after_the_other(seed):
    record = 'after-%d.ktoll' % seed
    p = ramp()
    for name, value in (('a', '0'), ('b', '1')):
        write(value)
        live(['-n', name], record, seed)
    p.kill()
    p.wait()
    write('0')
    return comparison(record)


covered = found = outside = false_alarms = 0
estimates, widths, wrong, floors = [], [], [], []
for seed in range(1, runs + 1):
    c = turns('0,1', seed)
    r = c['ratio']
    covered += r['lo'] <= 1.02 <= r['hi']
    found += r['lo'] > 1
    estimates.append((r['mean'] - 1) * 100)
    widths.append((r['hi'] - r['lo']) * 50)
    floors.append(c['noise_floor'] * 100)
    # Two values that mean the same.
    c = turns('0,2', seed)
    r = c['ratio']
    outside += r['lo'] > 1 or r['hi'] < 1
    false_alarms += c['verdict'] in ('faster', 'slower')
    wrong.append((one_after_the_other(seed)['ratio']['mean'] - 1) * 100)
    print('run %2d: turns %+.2f %% (+- %.2f), one after the other %+.2f %%'
          % (seed, estimates[-1], widths[-1], wrong[-1]), flush=True)


def spread(values):
    return '%+.2f .. %+.2f %%, mean %+.2f %%' % (min(values), max(values), sum(values) / len(values))


print('block %.1f ms, %d rounds of 4 blocks, drift of 20 %% over a run, planted +2 %%' % (block_s * 1000, ROUNDS))
print('taking turns:         estimates %s; half widths %s' % (spread(estimates), spread(widths)))
print('                      +2 %% in the interval in %d of %d runs, clear of zero in %d; noise floor %s'
      % (covered, runs, found, spread(floors)))
print('no effect planted:    a verdict in %d of %d runs, zero outside of the interval in %d'
      % (false_alarms, runs, outside))
print('one after the other:  estimates %s (ktoll gives no verdict on these)' % spread(wrong))
