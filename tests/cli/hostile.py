#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records of strangers: whoever reads one changes neither it nor anything else, whatever lies beside it,
and nothing that is in it acts on a terminal.

usage: hostile.py KTOLL REPLAY    (a folder with records)
"""
import hashlib
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

KTOLL, REPLAY = (os.path.abspath(a) for a in sys.argv[1:])
MAGIC = bytes.fromhex("d9d505f920a163d7")
READERS = (["report", "R"], ["report", "--format", "json", "R"], ["explain", "R"], ["run", "R", "--dry-run"],
           ["gate", "--base", "R", "debian:6.1", "-w", "getppid"], ["judge", "R"])
work = tempfile.mkdtemp(prefix="ktoll-hostile-")
env = dict(os.environ, XDG_CACHE_HOME=work + "/cache", XDG_DATA_HOME=work + "/data", KTOLL_QEMU="/bin/false", LC_ALL="C.UTF-8")


def check(ok, what):
    if not ok:
        sys.exit(f"FAILED: {what}")


def ktoll(args, **more):
    args = [record if a == "R" else a for a in args]
    return subprocess.run([KTOLL, *args], env=env, capture_output=True, timeout=60, **more)


def fresh():
    """A record alone in its folder."""
    global record
    folder = tempfile.mkdtemp(dir=work)
    record = os.path.join(folder, "a.ktoll")
    shutil.copy(os.path.join(REPLAY, "x86_64.ktoll"), record)
    return folder


def state(folder):
    """Everything in it: names, kinds, contents."""
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.islink(path):
            found[name] = "-> " + os.readlink(path)
        else:
            with open(path, "rb") as f:
                found[name] = hashlib.sha256(f.read()).hexdigest()
    return found


def journal(super_name=b""):
    """The journal of a transaction that was not committed, with the first page as it was."""
    with open(record, "rb") as f:
        page = f.read(4096)
    pages = os.path.getsize(record) // 4096
    nonce = 0x12345678
    sum_ = (nonce + sum(page[i] for i in range(4096 - 200, 0, -200))) & 0xffffffff
    head = MAGIC + b"".join(n.to_bytes(4, "big") for n in (1, nonce, pages, 512, 4096))
    body = (1).to_bytes(4, "big") + page + sum_.to_bytes(4, "big")
    tail = b""
    if super_name:
        # PENDING_BYTE's page, the name, its length, its checksum.
        tail = ((0x40000000 // 4096) + 1).to_bytes(4, "big") + super_name + len(super_name).to_bytes(4, "big") + \
            (sum(super_name) & 0xffffffff).to_bytes(4, "big") + MAGIC
    return head.ljust(512, b"\0") + body + tail


def put(path, content):
    with open(path, "wb") as f:
        f.write(content)


def super_journal():
    """A journal that names another file: SQLite would remove it after it has played the journal."""
    for args in (*READERS, ["compare", "-o", "R", "debian:6.1", "debian:6.1"]):
        folder = fresh()
        victim = os.path.join(work, "victim")
        # It stays a journal to be played as long as the file that it names has this one's name in it.
        put(victim, (record + "-journal").encode() + b"\0")
        put(record + "-journal", journal(victim.encode()))
        before = state(folder)
        r = ktoll(args)
        check(os.path.exists(victim), f"{args} removed the file that a journal names")
        check(state(folder) == before, f"{args} changed what is beside a record")
        if args[0] in ("report", "explain", "run"):
            check(r.returncode != 0 and b"names another file" in r.stderr, (args, r))


def links():
    """Links in the places of SQLite's own files."""
    os.mkdir(work + "/victims")
    for suffix in "-journal", "-wal", "-shm":
        for args in READERS:
            folder = fresh()
            victim = os.path.join(work, "victims", suffix)
            put(victim, journal() if suffix == "-journal" else b"precious")
            os.symlink(victim, record + suffix)
            before = state(folder), state(work + "/victims")
            ktoll(args)
            check((state(folder), state(work + "/victims")) == before, (args, suffix))


def own_journal():
    """What a killed writer left is taken back for who reads, and stays for who goes on."""
    folder = fresh()
    want = ktoll(["report", "R"]).stdout
    put(record + "-journal", journal())
    with open(record, "r+b") as f:
        f.seek(100)
        f.write(b"\xff" * 16)  # the half-written page
    before = state(folder)
    r = ktoll(["report", "R"])
    check(r.returncode == 0 and r.stdout == want, ("report takes it back", r))
    check(state(folder) == before, "and changes nothing")


def escapes():
    """No byte of a record or of the command line acts on a terminal."""
    evil = "\x1b]0;owned\x07\x9b31m\u202e"
    statements = ("UPDATE variant SET name = name || ?", "UPDATE variant SET spec = spec || ?",
                  "UPDATE sample SET workload = workload || ?")
    outputs = []
    for statement in statements:
        fresh()
        with sqlite3.connect(record) as db:
            db.execute(statement, (evil,))
        db.close()
        for args in READERS:
            outputs.append((args, ktoll(args)))
    fresh()
    with sqlite3.connect(record) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_schema SET sql = 'CREATE TABLE head (' || ?", (evil,))
    db.close()
    for args in READERS:
        outputs.append((args, ktoll(args)))
    for args in (["compare", "-w", evil, "debian:6.1", "debian:6.1"], ["compare", "-n", evil, "a", "b"], ["run", evil],
                 ["report", evil], ["diffconfig", evil, evil], ["list", evil], [evil]):
        outputs.append((args, ktoll(args)))
    for args, r in outputs:
        if "json" in args:
            continue
        for raw in r.stdout, r.stderr:
            text = raw.decode("utf-8")
            bad = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or c == "\u202e"]
            check(not bad, (args, bad, text[:300]))


def limits():
    """A limit on the size of files: a sentence, and not an end without a word."""
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    knob = os.path.join(work, "knob")
    put(knob, b"1\n")
    path = os.path.join(work, "limited.ktoll")
    args = ["live", "-o", path, "-w", "getppid", "--rounds", "2", "--block", "10", f"{knob}=1,2"]
    r = ktoll(args, preexec_fn=small)
    check(r.returncode == 128 and b"limited to 2048 bytes" in r.stderr, ("the limit is named", r))
    # What is there of it does not stand in the way.
    r = ktoll(args)
    check(r.returncode in (0, 1), ("the same command begins anew", r))


def empty():
    """A file that is no record yet, and one that is none."""
    fresh()
    put(record, b"")
    r = ktoll(["report", "R"])
    check(r.returncode == 128 and b"not a record" in r.stderr, r)
    os.remove(record)
    os.mkfifo(record)
    r = ktoll(["report", "R"])
    check(r.returncode == 128 and b"not a file" in r.stderr, r)


try:
    for case in super_journal, links, own_journal, escapes, limits, empty:
        case()
finally:
    shutil.rmtree(work, ignore_errors=True)
