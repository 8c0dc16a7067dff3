#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Studies and records on the command line, and the mail about them. Boots nothing. Usage: run.py KTOLL"""
import json
import os
import shutil
import re
import subprocess
import sys
import tempfile

KTOLL = os.path.abspath(sys.argv[1])
REPLAY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../replay")
RECORD = os.path.join(REPLAY, "x86_64.ktoll")
BUILTIN = {  # boots of each
    "debug-preempt": 2, "preempt-count": 2, "preempt-dynamic": 5, "preempt-models": 6, "preempt-rcu-kill": 18,
}
MINE = """about: mine
question: What?
kernel: debian:6.1
parts:
- name: one
  kernels: {a: '{kernel}', b: '{kernel},+quiet', c: {spec: 'debian:6.12', base: b}}
  workloads: [kill]
  full: [unix, getppid]
- name: two
  kernels: {d: '{kernel}', e: 'debian:6.12'}
  workloads: [stat]
"""
tmp = tempfile.TemporaryDirectory(prefix="ktoll-run-")
os.chdir(tmp.name)
env = dict(os.environ, XDG_CACHE_HOME=tmp.name + "/cache", XDG_DATA_HOME=tmp.name + "/data", XDG_CONFIG_HOME=tmp.name)
failed = 0


def fail(text):
    global failed
    failed += 1
    print(text)


def case(args, status, *words, without=()):
    """Runs ktoll; wants this exit status and these words, and none of the others. Gives what it printed."""
    p = subprocess.run([KTOLL, *args], env=env, capture_output=True, text=True, timeout=60)
    said = p.stdout + p.stderr
    missing = [w for w in words if w not in said]
    there = [w for w in without if w in said]
    if p.returncode != status or missing or there or "Sanitizer" in said:
        fail(f"ktoll {' '.join(args)}: status {p.returncode} ({status} expected), missing {missing}, "
             f"not wanted {there}, said:\n{said}")
    return p.stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def usage():
    case(["run", "--help"], 0, "usage: ktoll run", "--only", "--dry-run")
    case(["run"], 129, "a study or a record is wanted")
    case(["run", "a", "b"], 129, "a study or a record is wanted")
    # All that there are, and no more.
    case(["run", "nosuch"], 129, "there is no study 'nosuch'", *BUILTIN)
    case(["run", "--dry-run", ""], 129, "there is no study ''")
    case(["run", "--format", "nosuch", "debug-preempt"], 129, "--format takes")
    case(["run", "--engine", "nosuch", "debug-preempt"], 129, "--engine takes")
    case(["run", "--engine", "live", "--only", "nosuch", "debug-preempt"], 129, "--only nosuch")
    case(["run", "--engine", "live", "-r", "3", RECORD], 129, "options of measuring are for studies")
    case(["run", "-r", "0", "debug-preempt"], 129, "1 to 50")
    case(["run", "--nonsense", "debug-preempt"], 129, "--nonsense")


def files():
    case(["run", "none.yaml"], 128, "none.yaml")
    case(["run", "./none"], 128, "./none")
    case(["run", tmp.name], 128)
    write("x.yaml", MINE + "colour: red\n")
    case(["run", "x.yaml"], 128, "x.yaml:12:1: a study: unknown key colour")
    case(["run", "--dry-run", "./x.yaml"], 128, "./x.yaml:12:1: ")
    # A bad spec is the file's mistake, too.
    write("x.yaml", MINE.replace("debian:6.12'}\n", "debian:6.12,wat=1'}\n"))
    case(["run", "x.yaml"], 128, "x.yaml:10:", "e: ", "unknown setting")
    write("x.yaml", MINE.replace("[stat]", "[stat, nosuch]"))
    case(["run", "--dry-run", "x.yaml"], 129, "-w nosuch: no operation", "x.yaml, part two")
    write("x.yaml", MINE.replace("[stat]", "[stat]\n  replicates: 51"))
    case(["run", "--dry-run", "x.yaml"], 128, "x.yaml:12:15: a number from 1 to 50")
    published = "published:\n- {workload: %s, unit: s, better: lower, figures: {d: 1, e: 2}}\n"
    write("x.yaml", MINE + published % "pipe")
    case(["run", "--dry-run", "x.yaml"], 129, "of pipe something was published, and no part runs it")
    write("x.yaml", MINE + published % "unix")
    case(["run", "--dry-run", "x.yaml"], 0)
    write("x.yaml", "%YAML 1.1\n---\n")
    case(["run", "x.yaml"], 128, "x.yaml:")
    write("x.yaml", "")
    case(["run", "x.yaml"], 128, "x.yaml")


def strangers():
    """What a record would have run on this machine is listed, and not done without a word."""
    import sqlite3
    shutil.copy(RECORD, "stranger.ktoll")
    with sqlite3.connect("stranger.ktoll") as db:
        db.execute("UPDATE variant SET spec = 'tree:/home/you/linux,patch=/tmp/evil.patch' WHERE number = 1")
    db.close()
    case(["run", "stranger.ktoll"], 129, "runs make in a tree of this machine, tree:/home/you/linux", "--trust")
    case(["run", "--dry-run", "stranger.ktoll"], 0, "runs make in a tree of this machine")
    case(["run", "stranger.ktoll", "-o", "stranger.ktoll"], 129, "is the record itself")


def plans():
    """Every variant of each, and nothing is measured."""
    for name, boots in BUILTIN.items():
        out = case(["run", "--dry-run", name], 0, f"{name}: what ")
        variants = re.findall(r"^  \S+ +(?:source|debian):\S+(?:  \(base\)|, against \S+)$", out, re.M)
        said = sum(int(n) for n in re.findall(r"^  (\d+) boots", out, re.M))
        if len(variants) != boots or said != boots:
            fail(f"{name}: {len(variants)} variants, {said} boots, {boots} expected:\n{out}")
    out = case(["run", "--dry-run", "preempt-rcu-kill"], 0)
    for variant, base in ("n/permissive", "n/enforcing"), ("y/enforcing", "n/enforcing"), ("y/permissive", "n/permissive"):
        lines = [x for x in out.splitlines() if x.split()[:1] == [variant]]
        if len(lines) != 3 or not all(x.endswith(", against " + base) for x in lines):
            fail(f"{variant} is not against {base} in all three parts:\n{out}")
    case(["run", "--dry-run", "preempt-dynamic"], 0, "one more for each kernel whose config file wakes an option")
    if os.path.exists("data") or os.path.exists("cache"):
        fail("a plan has left files behind")


def names(out):
    return [line.split()[0] for line in out.splitlines() if re.search(r"\(base\)|, against ", line)]


def make_tree(path):
    """What looks like a kernel's tree."""
    for name in "scripts/kconfig", "arch", "init":
        os.makedirs(os.path.join(path, name))
    for name in "Makefile", "Kconfig":
        write(os.path.join(path, name), "")


def selections():
    write("mine.yaml", MINE)
    dry = ["run", "--dry-run", "mine.yaml"]

    def wants(args, variants, workloads):
        out = case(dry + args, 0, "mine: mine")
        listed = re.findall(r"^  workloads: (.*)$", out, re.M)
        if names(out) != variants or listed != workloads:
            fail(f"{args}: {names(out)}, {listed}; wanted {variants}, {workloads}")
        return out

    wants([], list("abcde"), ["kill", "stat"])
    wants(["--full"], list("abcde"), ["kill, unix, getppid", "stat"])
    wants(["--only", "one"], list("abc"), ["kill"])
    wants(["--only", "two"], list("de"), ["stat"])
    wants(["--only", "one", "--only", "two"], list("abcde"), ["kill", "stat"])
    # What it is compared with comes along.
    wants(["--only", "one", "--only", "c"], list("abc"), ["kill"])
    wants(["--only", "one", "--only", "b"], list("ab"), ["kill"])
    wants(["--only", "one", "--only", "getppid"], list("abc"), ["getppid"])
    wants(["--only", "one", "--only", "kill", "--full"], list("abc"), ["kill"])
    for extra in [], ["--dry-run"]:
        case(["run", *extra, "--only", "nosuch", "mine.yaml"], 129,
             "--only nosuch: the study has no part, kernel or workload of this name")
        case(["run", *extra, "--only", "one", "--only", "nosuch", "mine.yaml"], 129, "--only nosuch")
    # Plain names before one with parameters, whose commas are its own.
    write("list.yaml", MINE.replace("[stat]", "['kill,hackbench:groups=2,loops=10']"))
    case(["run", "--dry-run", "list.yaml"], 0, "kill,hackbench:groups=2,loops=10")
    write("list.yaml", MINE.replace("[stat]", "['kill,nosuch,hackbench:groups=2,loops=10']"))
    case(["run", "--dry-run", "list.yaml"], 129, "-w nosuch: no operation")
    write("list.yaml", MINE.replace("[stat]", "['hackbench:groups=2,kill']"))
    case(["run", "--dry-run", "list.yaml"], 129, "kill is no NAME=VALUE")
    case(["run", "--dry-run", "--full", "debug-preempt"], 0, "hackbench:groups=96")
    case(["run", "--dry-run", "debug-preempt"], 0, without=["hackbench:groups=96"])
    case(["run", "--dry-run", "--only", "ppc64le", "preempt-rcu-kill"], 0, "part ppc64le",
         without=["part x86_64", "part aarch64"])
    # In place of the study's own kernel, and of no other.
    case(["run", "--dry-run", "--kernel", "tree:x", "mine.yaml"], 128, "x is no kernel tree")
    make_tree("x")
    out = wants(["--kernel", "tree:x"], list("abcde"), ["kill", "stat"])
    specs = {line.split()[0]: line.split()[1].rstrip(",") for line in out.splitlines() if re.search(r"\(base\)|, against ", line)}
    if specs != {"a": "tree:x", "b": "tree:x,+quiet", "c": "debian:6.12", "d": "tree:x", "e": "debian:6.12"}:
        fail(f"--kernel: {specs}")
    case(["run", "--dry-run", "--kernel", "6.1", "mine.yaml"], 129, "--kernel 6.1 does not go with this study: mine.yaml:6:",
         "column 1")


def records():
    write("text.ktoll", "not a record\n" * 100)
    case(["run", "text.ktoll"], 128, "not a record")
    case(["run", "--dry-run", "text.ktoll"], 128, "not a record")
    case(["run", "none.ktoll"], 128, "there is no")
    case(["run", "-r", "3", RECORD], 129, "options of measuring are for studies")
    case(["explain", "none.ktoll"], 128, "there is no")
    for option in ["--kernel", "tree:/x"], ["--only", "kill"], ["--full"]:
        case(["run", *option, RECORD], 129, "are for studies: a record is run as it was")
    case(["run", "--dry-run", RECORD], 0, "v  source:6.1,config=small", "d  source:6.1", "2 boots, workloads: kill, unix")


def manual():
    """The example of the manual is a study."""
    with open(os.path.join(REPLAY, "../../man/ktoll-study.5.scd"), encoding="utf-8") as f:
        write("example.yaml", f.read().split("```\n")[1].replace("../linux", "linux"))
    make_tree("linux")
    case(["run", "--dry-run", "./example.yaml"], 0, "tree:linux,DEBUG_LIST=y", "pipe, hackbench")
    case(["compare", "-w", ",", "debian:6.1", "debian:6.1"], 129, "-w takes a workload")


def mails():
    """Of every record: ASCII that a mail can hold, whose command gives the same words to a shell."""
    for name in sorted(os.listdir(REPLAY)):
        if not name.endswith(".ktoll"):
            continue
        path = os.path.join(REPLAY, name)
        report = json.loads(case(["report", "--format", "json", path], 0))
        out = case(["report", "--format", "lkml", path], 0, "Subject: [ktoll] ", "What this cannot see", "Environment",
                   "Where it comes from")
        for line in out.splitlines():
            if len(line) > 72 or not all(32 <= ord(c) < 127 for c in line):
                fail(f"{name}: not for a mail: {line!r}")
        command = out[out.index("\nTo reproduce\n"):].split("\n", 3)[3]
        p = subprocess.run(["sh", "-c", "ktoll() { printf '%s\\n' \"$@\"; }\n" + command], capture_output=True, text=True)
        words = p.stdout.splitlines()
        wanted = ["compare", "--engine", "count", "--seed", words[4], "-r", words[6]]
        for workload in dict.fromkeys(c["workload"] for c in report["comparisons"]):
            wanted += ["-w", workload]
        for v in report["variants"]:
            wanted += ["-n", f"{v['id']}={v['spec']}"]
        wanted += [v["id"] for v in report["variants"]]
        if words != wanted or p.returncode or p.stderr:
            fail(f"{name}: the shell reads {words}, and not {wanted}; {p.stderr}")
    case(["report", "--format", "lkml", RECORD, RECORD], 129, "is there twice")
    shutil.copy(RECORD, "again.ktoll")
    out = case(["report", "--format", "lkml", RECORD, "again.ktoll"], 0)
    if out.count("Subject: ") != 1 or out.count("\n======== ") != 2 or out.count("\nTo reproduce\n") != 2:
        fail(f"two records are not one mail:\n{out}")
    case(["report", "--format", "nosuch", RECORD], 129, "--format takes", "'nosuch'")


for test in (usage, files, strangers, plans, selections, records, manual, mails):
    test()
sys.exit(1 if failed else 0)
