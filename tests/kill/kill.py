#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 of ktoll while it measures, at random moments and as it commits; then the record opens, no process
is left, no finished boot is lost, and the same command goes on to the counts of a run that nobody disturbed.

usage: kill.py KTOLL CACHE [KILLS [AT_COMMIT [SEED]]]
"""
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

KTOLL, CACHE = (os.path.abspath(a) for a in sys.argv[1:3])
KILLS, AT_COMMIT, SEED = (int(a) for a in (sys.argv[3:] + ["4", "2", "1"][len(sys.argv) - 3:]))
ARGS = "-w", "getppid,pipe,unix", "-r", "3", "-j", "1", "debian:6.1,+ktoll.x=1", "debian:6.1,+ktoll.x=2"
work = tempfile.mkdtemp(prefix="ktoll-kill-")
MAGIC = bytes.fromhex("d9d505f920a163d7")
mark = f"KTOLL_TEST_KILL={os.path.basename(work)}"
env = dict(os.environ, XDG_CACHE_HOME=CACHE, XDG_DATA_HOME=work + "/data", **dict([mark.split("=")]))


def check(ok, what):
    if not ok:
        sys.exit(f"FAILED: {what}")


def left_behind():
    """Processes that this test started, ktoll's own among them: all have its environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f, open(f"/proc/{pid}/stat") as s:
                if mark.encode() in f.read().split(b"\0") and s.read().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(pid)
        except OSError:
            pass
    return found


def counts(report):
    """All that a run counted, as bytes."""
    r = json.loads(report)
    check(not r["failures"], r["failures"])
    return json.dumps([r["results"], r["comparisons"]], sort_keys=True)


def committed(record):
    """How many outcomes a record has that is not being written to, by SQLite alone; 0 if that cannot be told now."""
    copy = record + ".copy"
    try:
        if is_hot(record):
            return 0
        shutil.copy(record, copy)
        if is_hot(record):
            return 0
        with sqlite3.connect(f"file:{copy}?immutable=1", uri=True) as db:
            return db.execute("SELECT count(*) FROM boot").fetchone()[0]
    except (OSError, sqlite3.Error):
        return 0
    finally:
        if os.path.exists(copy):
            os.remove(copy)


def finished(record):
    """The variants that a record has, to a reader; None if there is no record yet."""
    if not os.path.exists(record):
        return None
    p = subprocess.run([KTOLL, "report", "--format", "json", record], env=env, capture_output=True, text=True)
    if "not a record yet" in p.stderr:
        return None
    check(p.returncode in (0, 125), ("the record opens", p))
    return {c["variant"] for c in json.loads(p.stdout)["results"] if c["n"]}


def is_hot(record):
    """A journal that is to be played: a commit is on its way."""
    try:
        with open(record + "-journal", "rb") as f:
            return f.read(8) == MAGIC
    except OSError:
        return False


def is_made(record):
    """Its application id is in it: whatever is committed next is an outcome."""
    try:
        with open(record, "rb") as f:
            return f.read(72)[68:] == b"ktol"
    except OSError:
        return False


def compare(record):
    return subprocess.run([KTOLL, "compare", "--format", "json", "-o", record, *ARGS], env=env, capture_output=True,
                          text=True)


def kill_at(record, when):
    """Starts it and kills it: after a time, or as soon as a journal of the so-manyth commit lies there."""
    p = subprocess.Popen([KTOLL, "compare", "--format", "json", "-o", record, *ARGS], env=env, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    if when is None:
        jitter = random.choice((0, random.random() / 200))
        # The first or the second outcome.
        for _ in range(random.choice((1, 2))):
            while p.poll() is None and (not is_made(record) or is_hot(record)):
                time.sleep(0.01)
            while p.poll() is None and not is_hot(record):
                time.sleep(0.0001)
        time.sleep(jitter)
    else:
        try:
            p.wait(when)
        except subprocess.TimeoutExpired:
            pass
    before = committed(record)
    ended = p.poll() is not None
    p.send_signal(signal.SIGKILL)
    p.wait()
    return ended, 2 if ended else before


def main():
    random.seed(SEED)
    start = time.monotonic()
    reference = compare(work + "/reference.ktoll")
    took = time.monotonic() - start
    check(reference.returncode == 0, reference)
    want = counts(reference.stdout)
    kept = hot = opened = n_ended = 0
    for i in range(KILLS):
        record = f"{work}/{i}.ktoll"
        when = None if i < AT_COMMIT else random.random() * took
        ended, before = kill_at(record, when)
        n_ended += ended
        hot += is_hot(record)
        end = time.monotonic() + 3
        while left_behind() and time.monotonic() < end:
            time.sleep(0.05)
        check(not left_behind(), ("processes are left", left_behind()))
        there = finished(record)
        opened += there is not None
        there = there or set()
        check(len(there) >= before, ("a finished boot is lost", before, there))
        kept += len(there)
        p = compare(record)
        check(p.returncode == 0 and counts(p.stdout) == want, ("the same counts", i, when, p))
        if len(there) == 1:
            check("1 of 2 boots are done" in p.stderr, ("a finished boot is kept", p.stderr))
        os.remove(record)
        print(f"kill {i + 1}: {'aimed at a commit' if when is None else f'after {when:.2f} s'}, {before} of 2 boots known to be "
              f"finished, {len(there)} kept{', it had ended by itself' if ended else ''}", flush=True)
    # Whatever else came ended the program above.
    print(f"{KILLS - n_ended} kills and {n_ended} runs that had ended by themselves (seed {SEED}); {min(AT_COMMIT, KILLS)} aimed at a "
          f"commit, {hot} left a journal to be played; {opened} records opened, {KILLS - opened} had not been begun; no process left "
          f"after 3 s; {kept} boots kept, none fewer than were known to be finished; all resumed to equal results and comparisons")


try:
    main()
finally:
    shutil.rmtree(work, ignore_errors=True)
