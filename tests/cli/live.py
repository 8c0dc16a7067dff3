#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine `live` on this machine, without root, with a file as the knob. Usage: live.py KTOLL"""
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

ktoll = os.path.abspath(sys.argv[1])
tmp = tempfile.TemporaryDirectory(prefix='ktoll-live-')
os.chdir(tmp.name)
os.environ['XDG_DATA_HOME'] = tmp.name + '/data'
os.environ['XDG_CACHE_HOME'] = tmp.name + '/cache'
SHORT = ['-r', '3', '--block', '5']


def run(*args, status=0, verb='live'):
    """Runs it, one after the other on this machine; gives standard output and standard error."""
    for _ in range(100):
        p = subprocess.run([ktoll, verb, *args], capture_output=True, text=True, timeout=120)
        if 'another ktoll live' not in p.stderr:
            break
        time.sleep(0.3)
    assert p.returncode == status or (status is None and p.returncode in (128, 129)), (args, p.returncode, p.stdout, p.stderr)
    return p.stdout, p.stderr


def write(path, text):
    with open(path, 'w') as f:
        f.write(text)


def read(path):
    with open(path) as f:
        return f.read()


def report(*records):
    p = subprocess.run([ktoll, 'report', '--format', 'json', *records], capture_output=True, text=True)
    return json.loads(p.stdout)


def folders():
    return {n for n in os.listdir('/dev/shm') if n.startswith('ktoll-') and os.stat('/dev/shm/' + n).st_uid == os.getuid()}


def left_of(mark):
    """Processes whose command line has this in it and that came of this test: its environment is in theirs."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/environ' % pid, 'rb') as e, open('/proc/%s/cmdline' % pid, 'rb') as c:
                if tmp.name.encode() in e.read() and mark.encode() in c.read().replace(b'\0', b' '):
                    found.append(pid)
        except OSError:
            pass
    return found


def two_sides():
    run('-w', 'getppid,pipe', *SHORT, '-n', 'a', '-o', 'two.ktoll')
    out, _ = run('-w', 'getppid,pipe', *SHORT, '-n', 'b', '-o', 'two.ktoll')
    assert 'b against a' in out
    r = report('two.ktoll')
    assert r['schema'] == 'ktoll/compare/1' and r['engine'] == 'live'
    assert [v['id'] for v in r['variants']] == ['a', 'b']
    assert r['variants'][0]['release'] == os.uname().release
    assert len(r['comparisons']) == 2
    for c in r['comparisons']:
        assert c['verdict'] in ('same', 'undecided'), c
        assert c['units'] is None and 'one boot' in c['reason'], c
        # Whatever the load of this machine does to it.
        assert c['ratio']['mean'] > 0 and c['ratio']['lo'] is None, c
    for c in r['results']:
        # 3 rounds, there and back.
        assert c['n'] == 6 and c['boots'] == 1 and c['ns_per_op'] > 10, c
        assert 'involuntary-switches' in c['per_op']
    # A pipe waits for its partner in each operation, or is preempted by it.
    pipe = [c for c in r['results'] if c['workload'] == 'pipe'][0]
    assert pipe['per_op']['voluntary-switches'] + pipe['per_op']['involuntary-switches'] > 0.5, pipe
    assert r['sittings'][0]['machine']['boot_id'] == read('/proc/sys/kernel/random/boot_id').strip()


def study():
    """The running kernel as one of a study's: only where it is what the study asks for, and the base first."""
    write('s.yaml', 'about: a\nquestion: b\nparts:\n- name: x\n  workloads: [getppid]\n  kernels:\n'
          '    a: debian:6.1\n    b: debian:6.1\n    not: debian:6.1,+nosuch\n    hz: source:6.1,HZ=77\n'
          '    c: {spec: debian:6.1, base: b}\n'
          'published:\n- {workload: getppid, unit: s, better: lower, figures: {b: 1, c: 2}}\n')
    s = ['s.yaml', '--engine', 'live', '-o', 'studies', '--rounds', '3', '--block', '5']
    for only, words in ((), 'say with --only'), (('not',), 'booted without nosuch'), (('hz',), "kernel is"), \
            (('b',), 'boot into that one first'), (('a', 'b'), 'say with --only'):
        _, err = run(*s, *(w for o in only for w in ('--only', o)), verb='run', status=None)
        assert words in err, (only, err)
    _, err = run(*s, '--only', 'a', '-r', '3', verb='run', status=129)
    assert '--engine live takes' in err, err
    for name in 'a', 'b', 'c':
        out, _ = run(*s, '--only', name, verb='run')
    assert 'STUDY s, part x' in out and 'c against b: wall clock' in out and 'b against a: wall clock' in out, out
    r = report('studies/s-x-live.ktoll')
    assert [(c['base'], c['other']) for c in r['comparisons']] == [('a', 'b'), ('b', 'c')], r['comparisons']
    assert len(r['sittings']) == 3


def knob():
    write('knob', '7\n')
    # What a block saw says which value it ran with; how long it took is the machine's affair.
    write('work.sh', 'read x < knob; echo $x >> seen\n')
    path = tmp.name + '/knob'
    run(path + '=1,5', '-w', 'cmd:sh -c "cd %s && . ./work.sh"' % tmp.name, '-r', '4', '-o', 'knob.ktoll')
    assert read('knob') == '7\n', 'not put back'
    assert not os.path.exists('knob.ktoll-journal'), 'a file beside the record'
    r = report('knob.ktoll')
    c = r['comparisons'][0]
    assert c['units'] == 'rounds' and c['n_base'] == 4, c
    assert r['sittings'][0]['machine']['knob_before'] == '7'
    assert r['sittings'][0]['machine']['knob_restored'] == 'yes'
    # Each round is there and back.
    db = sqlite3.connect('knob.ktoll')
    rounds = {}
    for number, variant in db.execute('SELECT round, variant FROM block ORDER BY position'):
        rounds.setdefault(number, []).append(variant)
    assert all(o in ([0, 1, 1, 0], [1, 0, 0, 1]) for o in rounds.values()), rounds
    # The blocks, behind a run to warm up, had the value of their side.
    assert read('seen').split()[-16:] == ['15'[v] for number in sorted(rounds) for v in rounds[number]], rounds
    assert len(rounds) == 4
    # The same once more: the record has both sittings.
    run(path + '=1,5', '-w', 'cmd:sh -c "cd %s && . ./work.sh"' % tmp.name, '-r', '2', '-o', 'knob.ktoll')
    assert report('knob.ktoll')['comparisons'][0]['n_base'] == 6
    _, err = run(path + '=1,6', '-w', 'getppid', '-o', 'knob.ktoll', status=129)
    assert "no side" in err, err


def commands():
    write('state', 'x')
    on, off = '!echo on > %s/state' % tmp.name, '!echo off > %s/state' % tmp.name
    run('thing=%s,%s' % (off, on), '-w', 'getppid', '-r', '1', '--block', '1', '-o', 'commands.ktoll')
    assert read('state') == 'off\n', 'the first one restores'
    out, _ = run('commands.ktoll', verb='report')
    assert "thing put back with the command 'echo off > %s/state': yes" % tmp.name in out and 'before it' not in out, out
    run('thing=%s,%s' % (off, on), '--restore', 'echo back > %s/state' % tmp.name, '-w', 'getppid', '-r', '1',
        '--block', '1', '-o', 'commands2.ktoll')
    assert read('state') == 'back\n'
    _, err = run('thing=!exit 3,!true', '-w', 'getppid', '-o', 'commands3.ktoll', status=128)
    assert "'exit 3' failed, status 3" in err, err


def start(*args):
    """A live in the background, once it has switched the knob."""
    while True:
        write('knob', 'before\n')
        p = subprocess.Popen([ktoll, 'live', *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(500):
            if read('knob').strip() in ('a', 'b'):
                return p
            if p.poll() is not None:
                break
            time.sleep(0.02)
        err = p.stderr.read() if p.poll() is not None else ''
        p.kill()
        p.wait()
        assert 'another ktoll live' in err, err
        time.sleep(0.3)


def wait_restored():
    for _ in range(500):
        if read('knob') == 'before\n':
            return
        time.sleep(0.02)
    raise AssertionError('the knob is ' + read('knob'))


def worker_of(p):
    with open('/proc/%d/task/%d/children' % (p.pid, p.pid)) as f:
        return int(f.read().split()[0])


def ends():
    path = tmp.name + '/knob'
    before = folders()
    long = [path + '=a,b', '-w', 'cmd:sleep 0.05', '-r', '1000']

    # A name that anybody can take does not keep others from measuring.
    taken = socket.socket(socket.AF_UNIX)
    taken.bind('\0ktoll-live')
    p = start(*long, '-o', 'ctrlc.ktoll')
    taken.close()
    second = subprocess.run([ktoll, 'live', '-w', 'getppid', '-o', 'second.ktoll'], capture_output=True, text=True)
    assert second.returncode == 128 and 'another ktoll live' in second.stderr, second
    assert not os.path.exists('second.ktoll')
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=60)
    assert p.returncode == 130, (p.returncode, err)
    assert read('knob') == 'before\n'
    machine = report('ctrlc.ktoll')['sittings'][0]['machine']
    assert machine['knob_restored'] == 'yes' and 'interrupted' in machine['ended'], machine

    # The one that was started is killed: the other one ends as if interrupted.
    p = start(*long, '-o', 'kill.ktoll')
    p.kill()
    p.wait()
    wait_restored()
    for _ in range(200):
        try:
            machine = report('kill.ktoll')['sittings'][0]['machine']
            break
        except (IndexError, ValueError):
            time.sleep(0.05)
    assert machine['knob_restored'] == 'yes', machine

    # The one that works is killed: the guardian.
    p = start(*long, '-o', 'killed.ktoll')
    os.kill(worker_of(p), signal.SIGKILL)
    _, err = p.communicate(timeout=60)
    assert p.returncode == 128 and 'put back: before' in err, (p.returncode, err)
    assert read('knob') == 'before\n'
    machine = report('killed.ktoll')['sittings'][0]['machine']
    assert 'guardian' in machine['knob_restored'], machine
    for _ in range(100):
        if folders() <= before:
            break
        time.sleep(0.05)
    assert folders() <= before, 'folders are left: %s' % (folders() - before)
    assert not left_of('sleep 0.05'), 'processes are left: %s' % left_of('sleep 0.05')


def refused():
    _, err = run('nonsense', '-w', 'getppid', status=129)
    assert 'is no knob' in err, err
    _, err = run('/does/not/exist=0,1', '-w', 'getppid', status=128)
    assert '/does/not/exist' in err, err
    write('many', 'a\nb\n')
    _, err = run(tmp.name + '/many=a,c', '-w', 'getppid', status=128)
    assert 'more than a line' in err and read('many') == 'a\nb\n', err
    write('readonly', '1\n')
    os.chmod('readonly', 0o444)
    if os.geteuid():
        _, err = run(tmp.name + '/readonly=0,1', '-w', 'getppid', status=128)
        assert 'cannot be written' in err, err
    _, err = run('/proc/sys/kernel/ngroups_max=1,2', '-w', 'getppid', status=128)
    assert 'cannot be written' in err, err
    # The kernel takes some words only, and this file takes none.
    _, err = run('/proc/self/comm=a,' + 'b' * 30, '-w', 'getppid', '-r', '1', status=128)
    assert 'was written, and' in err, err
    _, err = run('/proc/self/oom_score_adj=0,100000', '-w', 'getppid', '-r', '1', status=128)
    assert 'does not take' in err or 'Invalid argument' in err, err
    _, err = run('-w', 'cmd:no-such-program-here', status=129)
    assert 'not installed' in err or 'no-such-program-here' in err, err
    _, err = run('-w', 'refscale', status=129)
    assert 'ktoll compare' in err, err
    _, err = run('-w', 'tick', status=129)
    assert 'no time in it' in err, err
    _, err = run('-w', 'getppid', '--until', '1', status=129)
    assert '--until is for a knob' in err, err
    _, err = run('preempt=none,full', '-w', 'getppid', status=128)
    assert 'preempt' in err, err


def other_machine():
    run('-w', 'getppid', *SHORT, '-o', 'other.ktoll')
    with sqlite3.connect('other.ktoll') as db:
        db.execute("UPDATE head SET value = 'x' WHERE key = 'machine_id'")
    _, err = run('-w', 'getppid', '-o', 'other.ktoll', status=128)
    assert 'another machine' in err, err


def failing():
    _, err = run('-w', 'cmd:false', '-w', 'getppid', *SHORT, '-o', 'failing.ktoll', status=125)
    r = report('failing.ktoll')
    assert r['failures'][0]['workload'] == 'cmd:false', r['failures']
    assert [c['workload'] for c in r['results']] == ['getppid'], 'the others go on'


def until():
    path = tmp.name + '/knob'
    write('knob', '1\n')
    run(path + '=1,2', '-w', 'cmd:sleep 0.02', '--until', '50%', '-r', '64', '-o', 'until.ktoll')
    c = report('until.ktoll')['comparisons'][0]
    assert c['n_base'] in (8, 16, 32, 64), c
    # 64 rounds at most: looks at 8, 16, 32 and 64.
    assert abs(c['level'] - (1 - 0.05 / 4)) < 1e-9, c


def schedule():
    out, _ = run('--plan', 'A,B', '--boots', '3', '-w', 'getppid', '-o', 'r.ktoll')
    order = [line.split()[1] for line in out.splitlines() if len(line.split()) == 2 and line.split()[0].isdigit()]
    assert len(order) == 6 and order.count('A') == 3, out
    # Pairs, of which every other one is the other way round.
    assert order[0:2] == order[3:1:-1] == order[4:6], order
    assert 'ExecStart=%s live -w getppid -o %s/r.ktoll' % (ktoll, tmp.name) in out, out


for test in (two_sides, study, knob, commands, ends, refused, other_machine, failing, until, schedule):
    test()
    print('ok', test.__name__)
