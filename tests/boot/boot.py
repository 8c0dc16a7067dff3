#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests that boot Debian's kernels. Usage: boot.py KTOLL CACHE CASE

CACHE keeps kernels and symbols between the cases; records go to a folder of
their own. Needs the network the first time, for the kernels.
"""
import difflib
import glob
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

KTOLL, CACHE, CASE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
SKIP = 77


def leave_out(why):
    print(f"SKIPPED all of it: {why}")
    sys.exit(SKIP)
work = tempfile.mkdtemp(prefix="ktoll-boot-")
env = dict(os.environ, XDG_CACHE_HOME=CACHE, XDG_DATA_HOME=work)
TICKED = {"tick"}


def start(*args, **more):
    return subprocess.Popen([KTOLL, *args], env=env, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **more)


def ktoll(*args, status=0):
    p = start(*args)
    out, err = p.communicate(timeout=3600)
    if p.returncode != status:
        sys.exit(f"{args}: exit status {p.returncode}, {status} expected\n{out[-3000:]}\n{err[-3000:]}")
    return out, err


def compare(*args, status=0):
    return json.loads(ktoll("compare", "--format", "json", *args, status=status)[0])


def check(truth, what):
    if not truth:
        sys.exit(f"not so: {what}")


def cells(report):
    return {(r["workload"], r["variant"]): r for r in report["results"]}


def command_of(pid):
    """b"" for one that has ended meanwhile."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def guests(pid):
    """The QEMUs that boot a variant; a probe is none."""
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        found = [int(c) for c in f.read().split()]
    return [c for c in found if b"ktoll.pad" in command_of(c)]


def wait_for(what, seconds, *args):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = what(*args)
        if value:
            return value
        time.sleep(0.05)
    return what(*args)


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def identical():
    """A kernel against itself, in two machines: no difference at all, whatever the seed."""
    for seed in "1", "424242":
        r = compare("-r", "2", "--seed", seed, "debian:6.1", "debian:6.1")
        check(r["engine"] == "count" and not r["failures"], "every cell passes its self-check")
        check(len(r["comparisons"]) == 23, "all operations are there")
        for c in r["comparisons"]:
            check(c["verdict"] == "identical" and c["delta"] == {"mean": 0, "lo": 0, "hi": 0},
                  f"{c['workload']} is identical: {c}")
        for (workload, _), cell in cells(r).items():
            insns = cell["insns_per_op"]
            check(cell["interrupted_by_tick"] == 0 or workload in TICKED, f"no tick in {workload}")
            if workload == "spin":
                # 1,000 and the loop around it: call, sub, jnz.
                check(insns["lo"] == insns["hi"] == 1003, f"spin is known: {insns}")
                check(insns["kernel"] == 0, "spin stays in user space")
            if workload == "clock-gettime":
                check(insns["kernel"] == 0, "clock-gettime stays in user space")
            if workload == "getppid":
                check(insns["lo"] == insns["hi"] == int(insns["lo"]), f"an integer: {insns}")
            if workload == "page-fault":
                check(cell["restarts_per_op"] == 1, f"a fault restarts one instruction: {cell}")


def repeatable():
    """The same integers again: with both cores busy, and after kill -9 and a resume."""
    args = ["-r", "2", "-j", "1", "debian:6.1,+preempt=none", "debian:6.1,+preempt=full"]
    first = compare(*args)["results"]
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
            for _ in range(os.cpu_count())]
    try:
        check(compare(*args)["results"] == first, "the same results on a busy machine")
    finally:
        for b in busy:
            b.kill()
    record = os.path.join(work, "killed.ktoll")
    p = start("compare", "--format", "json", "-o", record, *args)

    def second_boot():
        out, _ = ktoll("report", "--format", "json", record)
        return len({r["variant"] for r in json.loads(out)["results"] if r["n"]}) == 1

    # The second boot is on its way when the first one's child is no longer there.
    first_child = wait_for(guests, 30, p.pid)
    while guests(p.pid) == first_child:
        time.sleep(0.1)
    time.sleep(2)
    qemus = guests(p.pid)
    p.kill()
    p.communicate()
    check(qemus and wait_for(lambda: all(map(is_gone, qemus)), 1), "no QEMU survives a kill -9")
    check(second_boot(), "the record opens and has the first boot")
    out, err = ktoll("compare", "--format", "json", "-o", record, *args)
    check("resuming" in err and "1 of 2 boots are done" in err, f"it resumes: {err}")
    check(json.loads(out)["results"] == first, "the same results after a resume")
    # The same command finds its unfinished record by itself.
    p = start("compare", "-w", "getppid", "debian:6.1", "debian:6.1")
    wait_for(guests, 30, p.pid)
    time.sleep(1)
    p.kill()
    p.communicate()
    _, err = ktoll("compare", "-w", "getppid", "debian:6.1", "debian:6.1")
    records = os.listdir(os.path.join(work, "ktoll", "records"))
    check(len([r for r in records if r.endswith(".ktoll")]) == 3, f"no second record: {records}")


def locks():
    """Locked instructions per page fault: without noreplace-smp a lone CPU's locks are gone."""
    r = compare("-w", "page-fault", "-r", "2", "-n", "kept=debian:6.1",
                "-n", "patched=debian:6.1,-noreplace-smp", "kept", "patched")
    c = cells(r)
    kept = c["page-fault", "kept"]["locked_per_op"]
    patched = c["page-fault", "patched"]["locked_per_op"]
    print(f"locked instructions per page fault: {kept} with noreplace-smp, {patched} without")
    check(kept >= 5 and patched < 1, "noreplace-smp matters")


def panic():
    """A kernel that panics is a failure with its log; the other variant is measured."""
    # One that dies before it has a console, and one that dies after all drivers are there.
    r = compare("-w", "getppid", "debian:6.1", "debian:6.1,+mem=8M",
                "debian:6.1,+rdinit=/nothing", status=125)
    check(cells(r)["getppid", "6.1"]["n"] == 10, "the other variant has its results")
    check(len(r["failures"]) == 2, r["failures"])
    for f, param in zip(r["failures"], ("mem=8M", "rdinit=/nothing")):
        check(f["variant"] == "6.1,+" + param and f["stage"] == "boot", f"it is named: {f}")
        check("panic" in f["message"] and "panic" in f["log_tail"], f"it is in the log: {f}")
    for c in r["comparisons"]:
        check(c["verdict"] == "no-verdict", "nothing is said about it")


def mode():
    """A preemption model that a kernel does not have is refused before anything boots."""
    for spec, has in (("debian:6.1-rt,+preempt=full", "no PREEMPT_DYNAMIC"),
                      ("debian:6.1,+preempt=lazy", "only: none voluntary full")):
        _, err = ktoll("compare", "-w", "getppid", "debian:6.1", spec, status=125)
        check(has in err and spec in err, err)


def built():
    """A kernel that is built here: it boots, is the same twice, and is not built again."""
    same = ("-w", "spin,getppid,kill", "source:6.1", "source:6.1")
    # The cache outlives a run of the tests.
    was_there = os.path.exists(os.path.join(CACHE, "ktoll/built/kernels"))
    out, err = ktoll("compare", "--format", "json", *same)
    check(was_there or "built source:6.1" in err, err)
    r = json.loads(out)
    check({c["verdict"] for c in r["comparisons"]} == {"identical"}, r["comparisons"])
    spin = next(x for x in r["results"] if x["workload"] == "spin")
    check(spin["insns_per_op"]["mean"] == 1003, spin)
    _, err = ktoll("compare", *same)
    check("built" not in err and "configuring" not in err, err)

    out, _ = ktoll("diffconfig", "--format", "json", "source:6.1,PREEMPT_VOLUNTARY=y",
                   "source:6.1,PREEMPT_VOLUNTARY=y,PREEMPT_DYNAMIC=y")
    why = {o["option"]: o["reason"] for o in json.loads(out)["side_effects"]}
    for option in ("PREEMPT_BUILD", "PREEMPT_COUNT", "PREEMPTION", "PREEMPT_RCU",
                   "UNINLINE_SPIN_UNLOCK"):
        check(why.get(option), (option, why))
    check("PREEMPT_DYNAMIC" in why["PREEMPT_BUILD"], why)

    _, err = ktoll("diffconfig", "source:6.1", "source:6.1,PREEMPT_RCU=y", status=125)
    check("PREEMPT_RCU=y" in err and "prompt" in err, err)
    _, err = ktoll("diffconfig", "source:6.1", "source:6.1,NO_SUCH_THING=y", status=125)
    check("no such option" in err, err)


def realtree():
    """The options of a real tree, worked out from its Kconfig files, are what the kernel's own program made of them."""
    ktoll("diffconfig", "source:6.1", "source:6.1,PREEMPT_VOLUNTARY=y,PREEMPT_DYNAMIC=y")
    tree = glob.glob(f"{CACHE}/ktoll/source/linux-source-6.1_*/*/Kconfig")[-1]
    configs = glob.glob(f"{CACHE}/ktoll/built/configs/*/resolved")
    check(len(configs) >= 2, configs)
    for config in configs[:3]:
        subprocess.run([os.path.join(os.path.dirname(KTOLL), "tests/test-kconfigtree")], check=True,
                       env=dict(env, KTOLL_TEST_TREE=os.path.dirname(tree), KTOLL_TEST_CONFIG=config))


def planted():
    """A patch that adds 100 instructions to one system call shows as exactly that and nowhere
    else; one that does not apply is refused."""
    ktoll("diffconfig", "source:6.1", "source:6.1")
    with open(glob.glob(f"{CACHE}/ktoll/source/linux-source-6.1_*/*/kernel/sys.c")[-1]) as f:
        old = f.readlines()
    at = old.index("SYSCALL_DEFINE0(getppid)\n") + 3
    new = old[:at] + ['\tasm volatile(".rept 100\\n\\tnop\\n\\t.endr");\n'] + old[at:]
    patch = os.path.join(work, "nops.patch")
    with open(patch, "w") as f:
        f.writelines(difflib.unified_diff(old, new, "a/kernel/sys.c", "b/kernel/sys.c"))
    r = compare("-w", "getppid,read,kill,signal,unix,epoll,spin", "source:6.1",
                f"source:6.1,patch={patch}")
    for c in r["comparisons"]:
        delta = c["delta"]
        wanted = 100 if c["workload"] == "getppid" else 0
        check(delta["lo"] == delta["hi"] == wanted, (c["workload"], delta))
    out, _ = ktoll("explain", "--format", "json", "-w", "getppid", r["record"])
    rows = [row for group in json.loads(out)["comparisons"][0]["rows"] for row in group["rows"]]
    rows = [row for row in rows if row["delta_per_op"] != 0]
    check(len(rows) == 1 and rows[0]["delta_per_op"] == 100 and rows[0]["patched"], rows)
    with open(patch, "a") as f:
        f.write("--- a/Makefile\n+++ b/Makefile\n@@ -1,2 +1,2 @@\n nothing\n-like this\n+at all\n")
    _, err = ktoll("compare", "source:6.1", f"source:6.1,patch={patch}", status=125)
    check("does not apply" in err, err)


PLANT = """\
#include <linux/moduleparam.h>
static unsigned int plant_every = 1 << 30, plant_loops, plant_calls;
core_param(plant_every, plant_every, uint, 0);
core_param(plant_loops, plant_loops, uint, 0);

static noinline void plant(void)
{
	unsigned int n = plant_loops;

	asm volatile("1: sub $1, %0\\n\\tjnz 1b" : "+r"(n));
}

""", """\
	if (++plant_calls >= plant_every) {
		plant_calls = 0;
		plant();
	}
"""


def periodic():
    """A cost at every n-th call of vfs_read(): ranges hold its mean over the long run, and no operation
    shows one integer that is not it. What every call costs says how much that is."""
    ktoll("diffconfig", "source:6.1", "source:6.1")
    with open(glob.glob(f"{CACHE}/ktoll/source/linux-source-6.1_*/*/fs/read_write.c")[-1]) as f:
        old = f.readlines()
    at = next(i for i, line in enumerate(old) if line.startswith("ssize_t vfs_read("))
    body = old.index("\n", at) + 1
    new = old[:at] + [PLANT[0]] + old[at:body] + [PLANT[1]] + old[body:]
    patch = os.path.join(work, "plant.patch")
    with open(patch, "w") as f:
        f.writelines(difflib.unified_diff("".join(old).splitlines(True), "".join(new).splitlines(True),
                                          "a/fs/read_write.c", "b/fs/read_write.c"))
    spec = f"source:6.1,patch={patch},+plant_loops=320,+plant_every="
    periods = 1, 2, 7, 64, 1000
    names = [arg for p in periods for arg in ("-n", f"every{p}={spec}{p}")]
    r = compare("-n", f"never={spec}{1 << 30}", *names, "never", *(f"every{p}" for p in periods))
    deltas = {(c["workload"], c["other"]): c["delta"] for c in r["comparisons"]}
    looked_for = {c["workload"]: c["looked_for_ops"] for c in r["results"]}
    check(deltas["read", "every1"]["lo"] == deltas["read", "every1"]["hi"], deltas["read", "every1"])
    cost = deltas["read", "every1"]["mean"]
    check(640 < cost < 650, f"the loop and its call: {cost}")
    # One call of vfs_read() in each; two in a byte there and back.
    for workload, calls in ("read", 1), ("unix", 1), ("pipe", 2):
        for p in periods[1:]:
            delta = deltas[workload, f"every{p}"]
            mean = deltas[workload, "every1"]["mean"] / p
            if p / calls <= looked_for[workload]:
                check(delta["lo"] < mean < delta["hi"], (workload, p, mean, delta))
    for workload in "getppid", "write", "kill", "stat", "spin":
        for p in periods:
            check(deltas[workload, f"every{p}"]["lo"] == deltas[workload, f"every{p}"]["hi"] == 0,
                  (workload, p))


def hang():
    """A guest that executes and reports nothing is ended, a failure of its own; --retry measures it again."""
    record = os.path.join(work, "hang.ktoll")
    args = "-w", "getppid", "-o", record, "debian:6.1", "debian:6.1"
    r = compare("--timeout", "2", *args, status=125)
    check(len(r["failures"]) == 2 and "for 2 s of QEMU's processor time without a report" in r["failures"][0]["message"],
          r["failures"])
    check(compare(*args, status=125)["failures"] == r["failures"], "a failure stays")
    r = compare("--retry", *args)
    check(not r["failures"] and r["comparisons"][0]["verdict"] == "identical", r)


def lost():
    """A QEMU that somebody ended says nothing of the kernel: the same command measures that boot."""
    record = os.path.join(work, "lost.ktoll")
    args = "-w", "getppid", "-j", "1", "-o", record, "debian:6.1", "debian:6.1,+preempt=full"
    p = start("compare", "--format", "json", *args)
    os.kill(wait_for(guests, 60, p.pid)[0], signal.SIGKILL)
    out, err = p.communicate(timeout=600)
    check(p.returncode == 128, (p.returncode, err))
    failures = json.loads(out)["failures"]
    check([f["stage"] for f in failures] == ["lost"] and "measures this boot again" in failures[0]["message"], failures)
    out, _ = ktoll("report", record, status=128)
    check("LOST 6.1" in out and "preempt" not in out.split("LOST")[1].split("\n")[0], out)
    r = compare(*args)
    check(not r["failures"] and r["comparisons"][0]["delta"]["mean"] == 0, r)
    check(compare(*args) == r, "the record is complete")


def load():
    """Four boots at a time beside eight busy loops: all come to their end, with the counts of a quiet machine."""
    args = "-w", "getppid,pipe,spin", *(f"debian:6.1,+ktoll.x={i}" for i in range(4))
    quiet = compare(*args)["results"]
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        r = compare("-j", "4", *args)
    finally:
        for b in busy:
            b.kill()
            b.wait()
    check(not r["failures"] and r["results"] == quiet, "equal to a quiet machine")


def interrupt():
    """Ctrl-C: status 130, nothing left behind."""
    p = start("compare", "debian:6.1", "debian:6.1")
    wait_for(guests, 60, p.pid)
    time.sleep(2)
    qemus = guests(p.pid)
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=10)
    check(p.returncode == 130, f"exit status {p.returncode}")
    records = os.path.join(work, "ktoll", "records")
    check(os.listdir(records) == [], "a record without a finished boot does not stay")
    check(qemus and all(map(is_gone, qemus)), "no QEMU is left")


def broken():
    """A CPU model that QEMU does not know is the machine's fault, not the kernel's."""
    _, err = ktoll("compare", "-w", "spin", "debian:6.1,cpu=nonsense", "debian:6.1", status=128)
    check("unable to find CPU model 'nonsense'" in err, err)


def full():
    """A full disk: 128, and the sentence says so."""
    if os.geteuid() != 0:
        leave_out("needs root, for a small file system")
    small = os.path.join(work, "small")
    os.mkdir(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", small]).returncode:
        leave_out("no file system can be mounted here")
    try:
        _, err = ktoll("compare", "-w", "getppid,fork,exec", "-o", f"{small}/r.ktoll",
                       "debian:6.1", "debian:6.1", status=128)
        check("disk is full" in err, err)
    finally:
        subprocess.run(["umount", small])


def foreign():
    """Debian's kernels of other architectures: known counts, and the same integers again."""
    done = 0
    for arch, loop in ("ppc64le", 5), ("aarch64", 3), ("riscv64", 3):
        said, _ = ktoll("doctor")
        if f"ok       guest {arch}" not in said:
            print(f"SKIPPED {arch}: no QEMU or compiler for it: make deps-foreign")
            continue
        done += 1
        r = compare("-r", "2", f"debian:6.12,arch={arch}", f"debian:6.12,arch={arch}")
        check(not r["failures"], f"{arch}: every cell passes its self-check: {r['failures']}")
        check(len(r["comparisons"]) == 23, f"{arch}: all operations are there")
        for c in r["comparisons"]:
            check(c["verdict"] == "identical", f"{arch}: {c['workload']} is identical: {c}")
        for (workload, _), cell in cells(r).items():
            insns = cell["insns_per_op"]
            if workload == "spin":
                check(insns["lo"] == insns["hi"] == 1000 + loop, f"{arch}: spin is known: {insns}")
            if workload in ("spin", "clock-gettime"):
                check(insns["kernel"] == 0, f"{arch}: {workload} stays in user space")
            if workload == "page-fault":
                check(cell["restarts_per_op"] == 1, f"{arch}: a fault restarts one: {cell}")
    if not done:
        sys.exit(SKIP)


def programs():
    """Programs of the guest root: the same twice, failures that are none of the others', a memory cgroup."""
    mine = os.path.join(work, "mine.yaml")
    with open(mine, "w") as f:
        f.write("about: dd\nrun: dd if=/dev/zero of=/dev/null bs=1 count={n}\nops: n\nunit: byte\n"
                "size: {parameter: n, method: two-sizes, default: [2000, 6000]}\n")
    with open(os.path.join(work, "bad.yaml"), "w") as f:
        f.write("about: a\nrun: sh -c 'echo Oops 7; exit 0'\nops: 1\nunit: run\nfailures: ['Oops [0-9]']\n")
    with open(os.path.join(work, "server.yaml"), "w") as f:
        f.write("about: a\nserver: echo no >&2; exit 3\nport: 99\nrun: 'true'\nops: 1\nunit: run\n")
    r = compare("-r", "2", "-w", "getppid", "-w", mine, "-w", "hackbench:loops=20", "-w", "cmd:sleep 1000",
                "-w", "cmd:false", "-w", os.path.join(work, "bad.yaml"),
                "-w", os.path.join(work, "server.yaml"), "debian:6.1", "debian:6.1", status=125)
    verdicts = {c["workload"]: c["verdict"] for c in r["comparisons"]}
    check(verdicts["getppid"] == verdicts[mine] == verdicts["hackbench:loops=20"] == "identical", verdicts)
    for (workload, _), cell in cells(r).items():
        if workload == mine:
            check(not cell["start_and_end_included"] and cell["ops"] == 4000, cell)
            # A read and a write of a byte, and what dd does around them.
            check(500 < cell["insns_per_op"]["mean"] < 2500, cell["insns_per_op"])
        if workload == "hackbench:loops=20":
            check(cell["metric"]["name"] == "time" and cell["metric"]["better"] == "lower", cell)
    failures = {f["workload"].split("/")[-1]: f["message"] for f in r["failures"]}
    check("not done after" in failures["cmd:sleep 1000"], failures)
    check("ended with status 1" in failures["cmd:false"], failures)
    check("it says: Oops 7" in failures["bad.yaml"], failures)
    check("ended before it accepted" in failures["server.yaml"], failures)
    check(len(failures) == 4 and len(r["failures"]) == 8, r["failures"])
    # Boots that differ in nothing that matters: no verdict without them, and none from them.
    pair = ["-r", "1", "-w", "getppid", "-w", mine, "debian:6.1,+ktoll.x=1", "debian:6.1,+ktoll.x=2"]
    record = os.path.join(work, "null.ktoll")
    r = compare("--null", "2", "-o", record, *pair)
    by = {c["workload"]: c for c in r["comparisons"]}
    check(by[mine]["verdict"] in ("undecided", "identical"), by[mine])
    check(by[mine]["null"]["boots"] == 3 and by[mine]["null"]["df"] == 4 and by[mine]["n_base"] == 3, by[mine])
    check(by["getppid"]["null"] is None and by["getppid"]["n_base"] == 1, by["getppid"])
    out, _ = ktoll("report", record)
    check("null boots: 2 more of each kernel" in out, out)
    # The same again is the record, also of its null boots; one that is missing is measured alone, and equal.
    db = sqlite3.connect(record)
    was = db.execute("SELECT * FROM sample WHERE variant = 1 AND null_boot = 2").fetchall()
    check(len(was) == 2, was)
    db.execute("DELETE FROM sample WHERE variant = 1 AND null_boot = 2")
    db.execute("DELETE FROM boot WHERE variant = 1 AND null_boot = 2")
    db.execute("DELETE FROM head WHERE key = 'complete'")
    db.commit()
    r = compare("--null", "2", "-o", record, *pair)
    check(db.execute("SELECT * FROM sample WHERE variant = 1 AND null_boot = 2").fetchall() == was, "resumed")
    db.close()
    r = compare("--no-null", *pair)
    by = {c["workload"]: c for c in r["comparisons"]}
    check(by[mine]["verdict"] == "no-verdict" and "--no-null" in by[mine]["reason"], by[mine])
    check(by["getppid"]["verdict"] == "identical", by["getppid"])
    # Programs one after the other: between tasks that wake each other, who runs when outweighs it.
    forks = os.path.join(work, "forks.yaml")
    with open(forks, "w") as f:
        f.write("about: a\nrun: sh -c 'i=0; while [ $i -lt {n} ]; do /bin/true; i=$((i + 1)); done'\nops: n\n"
                "unit: program\nsize: {parameter: n, method: two-sizes, default: [20, 40]}\n")
    r = compare("-r", "1", "-w", forks, "debian:6.1", "debian:6.1,memcg=root")
    check(r["comparisons"][0]["verdict"] == "less", "charging costs: " + str(r["comparisons"][0]))
    r = compare("-r", "1", "-w", "unix", "debian:6.1,selinux=off", "debian:6.1,selinux=enforcing",
                "debian:6.1,selinux=permissive")
    costs = [c["insns_per_op"]["mean"] for c in r["results"]]
    check(not r["failures"] and costs[1] == costs[2] != costs[0], f"SELinux is asked: {costs}")


LIVE = r"""
P=/sys/kernel/debug/sched/preempt
die() { echo "FAILED: $*"; cat out err; cat $P; exit 1; }
mode() { sed 's/.*(\(.*\)).*/\1/' $P; }
wait_switched() { i=0; while [ "$(mode)" = $B ]; do sleep 0.01; i=$((i + 1)); [ $i -lt 2000 ] || die "never switched"; done; }
B=$(mode)
[ "$B" = voluntary ] || die "this test wants a mode that it does not switch to"
KTOLL live preempt=none,full -w getppid -r 2 --block 2 -o a.ktoll > out 2> err || die "status $?"
[ "$(mode)" = $B ] || die "not put back"
grep -q "before it preempt was 'voluntary'; put back: yes" out || die "the report does not say so"
grep -q "PREEMPT_COUNT, PREEMPT_RCU" out || die "nor what it cannot show"
KTOLL live preempt=none,sideways -w getppid -o x.ktoll > out 2> err && die "sideways is no mode"
grep -q "has no 'sideways'" err || die "it is not told"

# Ctrl-C. A shell's jobs in the background have it ignored.
env --default-signal=INT KTOLL live preempt=none,full -w getppid -r 100000 --block 2 -o b.ktoll > out 2> err &
wait_switched; kill -INT $!; wait $!; s=$?
[ $s = 130 ] || die "Ctrl-C: status $s"
[ "$(mode)" = $B ] || die "Ctrl-C: not put back"

# The process that was started is killed, and then the one that works.
KTOLL live preempt=none,full -w getppid -r 100000 --block 2 -o c.ktoll > out 2> err &
wait_switched; kill -KILL $!
i=0; while [ "$(mode)" != $B ]; do sleep 0.05; i=$((i + 1)); [ $i -lt 200 ] || die "kill -9: not put back"; done
sleep 1
KTOLL live preempt=none,full -w getppid -r 100000 --block 2 -o d.ktoll > out 2> err &
wait_switched; kill -KILL $(cut -d' ' -f1 /proc/$!/task/$!/children); wait $!; s=$?
[ $s = 128 ] || die "worker killed: status $s"
[ "$(mode)" = $B ] || die "worker killed: not put back"
KTOLL report d.ktoll > out 2> err || die "the record does not open"
grep -q "by the guardian" out || die "the record does not say who put it back"
"""


def live():
    """In a guest whose preemption model can be switched: it is, and is put back whatever happens."""
    path = os.path.join(work, "live.yaml")
    # In /tmp, over which the guest mounts one of its own.
    program = shutil.copy(KTOLL, os.path.join(work, "ktoll.copy"))
    with open(path, "w") as f:
        f.write("about: ktoll live in a guest\nonce: true\nhost-files: [" + program + "]\n"
                "packages: [coreutils, sed, grep]\ntimeout: 3000\nsize: {parameter: n, method: same-size, default: 1}\n"
                "run: sh {dir}/test.sh\nops: \"1\"\nunit: run\nfiles:\n  test.sh: |\n")
        f.writelines("    " + line + "\n" for line in LIVE.replace("KTOLL ", program + " ").splitlines())
    r = compare("-w", path, "debian:6.1", "debian:6.1")
    check(not r["failures"] and len(r["results"]) == 2, r["failures"])


def vm():
    """Machines that take turns; one that dies is a failed boot; and all engines in one report."""
    record, counts, here = (os.path.join(work, n + ".ktoll") for n in ("vm", "count", "live"))
    names = ["-n", "a=debian:6.1", "-n", "b=debian:6.1,+preempt=full", "a", "b", "-w", "getppid"]
    p = start("compare", "--engine", "vm", *names, "--rounds", "40", "--block", "50", "--boots", "2", "-o", record)

    def both(pid):
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            found = [int(c) for c in f.read().split()]
        found = [c for c in found if b"ktoll.serve" in command_of(c)]
        return found if len(found) == 2 else None

    wait_for(both, 120, p.pid)
    victims = both(p.pid)
    time.sleep(10)
    os.kill(victims[1], signal.SIGKILL)
    out, err = p.communicate(timeout=600)
    check(p.returncode == 125 and "FAILED b, whole boot" in out, (p.returncode, out, err))
    check(all(map(is_gone, victims)), "no QEMU is left")
    r = json.loads(ktoll("report", "--format", "json", record, status=125)[0])
    check([s["blocks"] for s in r["sittings"]] == [0, 160], r["sittings"])
    check(r["results"][0]["boots"] == 1 and r["results"][0]["n"] == 80, r["results"])
    c = r["comparisons"][0]
    check(c["units"] == "rounds" and c["n_base"] == 40, c)
    if not os.access("/dev/kvm", os.W_OK):
        check(c["verdict"] == "no-verdict" and "emulator" in c["reason"], c)

    ktoll("compare", *names, "-o", counts)
    for name in ("a", "b"):
        ktoll("live", "-w", "getppid", "-r", "2", "--block", "5", "-n", name, "-o", here)
    out, _ = ktoll("report", counts, record, here, status=125)
    for engine in ("count", "vm", "live"):
        check([line for line in out.splitlines() if line.split()[:4] == ["getppid", "a", "b", engine]], out)
    r = json.loads(ktoll("report", "--format", "json", counts, record, here, status=125)[0])
    check([x["engine"] for x in r["reports"]] == ["count", "vm", "live"], r)


def gate():
    """The status is the answer: 0, 1, 125 and 128, and a base that is not measured again."""
    record = os.path.join(work, "base.ktoll")
    out, _ = ktoll("gate", "debian:6.1", "debian:6.1", "-w", "getppid,pipe", "-r", "2", "-o", record)
    check(out.count("within") == 2, out)
    out, _ = ktoll("gate", "--format", "ktap", "--base", record, "debian:6.1-rt", "-w", "getppid,pipe", "-r", "2",
                   "--limit", "5%", status=1)
    lines = out.splitlines()
    check(lines[:2] == ["KTAP version 1", "1..2"] and lines[2].startswith("ok 1 getppid")
          and lines[3].startswith("not ok 2 pipe"), out)
    # So far beyond the limit that it is within another.
    out, _ = ktoll("gate", "--base", record, "debian:6.1-rt", "-w", "pipe", "-r", "2", "--limit", "1000%")
    check(out.startswith("within"), out)
    _, err = ktoll("gate", "--base", record, "debian:6.1-rt", "-w", "unix", status=128)
    check("does not have unix" in err and "-w unix" in err, err)
    _, err = ktoll("gate", "--base", record, "debian:6.1-rt", "-w", "pipe", status=128)
    check("has 2 replicates of pipe" in err and "say -r 2" in err, err)
    _, err = ktoll("gate", "--base", record, "debian:6.1-rt", "-w", "pipe", "-r", "2", "--seed", "5", status=128)
    check("seed 1" in err and "say --seed" in err, err)
    _, err = ktoll("gate", "--base", record, "debian:6.1-rt,+quiet", "-w", "pipe", "-r", "2", status=128)
    check("equally long" in err and "quiet" not in err.split("beside")[0], err)
    # A base that was padded for a longer one sets the length.
    ktoll("gate", "debian:6.1", "debian:6.1,+preempt=voluntary", "-w", "getppid", "-r", "2", "-o", record + "2")
    out, _ = ktoll("gate", "--base", record + "2", "debian:6.1,+quiet", "-w", "getppid", "-r", "2")
    check(out.startswith("within"), out)
    # What hangs, and what a workload fails in, could not be told.
    ktoll("gate", "debian:6.1", "debian:6.1", "-w", "getppid", "--timeout", "2", status=125)
    ktoll("gate", "debian:6.1", "debian:6.1,+preempt=lazy", "-w", "getppid", status=125)
    env["KTOLL_QEMU"] = "/nonexistent"
    ktoll("gate", "debian:6.1", "debian:6.1", "-w", "getppid", status=128)
    del env["KTOLL_QEMU"]
    if os.geteuid() == 0:
        small = os.path.join(work, "small")
        os.mkdir(small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", small]).returncode == 0:
            try:
                ktoll("gate", "-w", "getppid,fork,exec", "-o", f"{small}/r.ktoll", "debian:6.1", "debian:6.1",
                      status=128)
            finally:
                subprocess.run(["umount", small])
    else:
        print("SKIPPED a full disk: needs root")


STUDY = """
about: a test
question: Does the mode matter?
kernel: debian:6.1
parts:
- name: one
  kernels: {none: '{kernel},+preempt=none', full: '{kernel},+preempt=full'}
  settings: {plain: '', quiet: +quiet}
  exclude: [full/quiet]
  workloads: [getppid, spin, yield]
  full: [kill]
  replicates: 2
  ladder: [none/plain, full/plain]
published:
- {workload: getppid, unit: ns, better: lower, figures: {none/plain: 100, full/plain: 110}}
- {workload: kill, unit: ns, better: lower, figures: {none/plain: 100, full/plain: 110}}
"""


def studies():
    """A study into a record; the same again is the record, and the record again are the same counts."""
    path, folder = os.path.join(work, "mine.yaml"), os.path.join(work, "records")
    with open(path, "w") as f:
        f.write(STUDY)
    record = os.path.join(folder, "mine-one.ktoll")
    mail, _ = ktoll("run", path, "-o", folder, "--format", "lkml")
    for line in mail.splitlines():
        check(len(line) <= 72 and line.isascii(), line)
    check("Question: Does the mode matter?" in mail and "Ladder, yield" in mail, mail)
    check("Published, but not measured here: kill" in mail, mail)
    before = os.stat(record).st_mtime_ns
    out, err = ktoll("run", path, "-o", folder, "--format", "json")
    check(os.stat(record).st_mtime_ns == before, "a study that is over measures nothing")
    pairs = {(c["base"], c["other"]) for c in json.loads(ktoll("report", "--format", "json", record)[0])["comparisons"]}
    check(pairs == {("none/plain", "none/quiet"), ("none/plain", "full/plain")}, pairs)
    _, err = ktoll("run", path, "-o", folder, "--full", status=128)
    check("holds another run" in err, err)

    out, _ = ktoll("run", record, "-o", os.path.join(work, "again.ktoll"))
    # Three kernels, three operations, two replicates.
    check("identical: all 18 counts are what they were" in out, out)
    db = sqlite3.connect(record)
    db.execute("UPDATE sample SET started = started + 3 * ops, clock = clock + 3 * ops, user_insns = user_insns + 3 * ops "
               "WHERE variant = 2 AND workload = 'spin' AND replicate = 1")
    db.execute("UPDATE head SET value = '0.0' WHERE key = 'qemu_version'")
    db.commit()
    db.close()
    out, _ = ktoll("run", record, "-o", os.path.join(work, "third.ktoll"), status=1)
    check("17 counts are what they were, 1 not, 0 are missing" in out, out)
    check("full/plain, spin, replicate 2: 1006 instructions per operation, now 1003" in out, out)
    check("qemu_version: 0.0, now " in out, out)


def gitbisect():
    """`git bisect run ktoll gate` over twelve commits: the one with 100 NOPs is found, the broken one skipped."""
    ktoll("diffconfig", "source:6.1", "source:6.1")
    source = os.path.dirname(glob.glob(f"{CACHE}/ktoll/source/linux-source-6.1_*/*/MAINTAINERS")[-1])
    tree, base = os.path.join(work, "tree"), os.path.join(work, "base")

    def git(*args, where=tree, status=0):
        p = subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", where, *args],
                           capture_output=True, text=True, env=env)
        check(p.returncode == status, (args, p.stdout[-2000:], p.stderr[-2000:]))
        return p.stdout

    subprocess.run(["cp", "-a", source, tree], check=True)
    git("init", "-q")
    git("add", "-A", "-f")
    git("commit", "-q", "-m", "start")
    with open(f"{tree}/kernel/sys.c") as f:
        lines = f.readlines()
    at = lines.index("SYSCALL_DEFINE0(getppid)\n") + 3
    commits = []
    for i in range(1, 13):
        new = list(lines)
        if i >= 8:
            new.insert(at, '\tasm volatile(".rept 100\\n\\tnop\\n\\t.endr");\n')
        # 6 does not build; it is the middle.
        new.append("this is no C\n" if i == 6 else f"/* {i} */\n")
        with open(f"{tree}/kernel/sys.c", "w") as f:
            f.writelines(new)
        git("commit", "-q", "-a", "-m", f"commit {i}")
        commits.append(git("rev-parse", "HEAD").strip())
    git("worktree", "add", "-q", "--detach", base, "HEAD~12")
    git("bisect", "start", "HEAD", "HEAD~12")
    out = git("bisect", "run", KTOLL, "gate", f"tree:{base}", "tree:.", "-w", "getppid", "-r", "1", "--limit", "2%")
    check(f"{commits[7]} is the first bad commit" in out, out[-3000:])
    log = git("bisect", "log")
    check(f"git bisect skip {commits[5]}" in log, log)


def qemu10():
    """The other plugin API, if a second QEMU is at hand: the same checks hold."""
    other = os.environ.get("KTOLL_TEST_QEMU2")
    if not other:
        leave_out("KTOLL_TEST_QEMU2 names no second QEMU")
    env["KTOLL_QEMU"] = other
    env["KTOLL_QEMU_ARGS"] = os.environ.get("KTOLL_TEST_QEMU2_ARGS", "")
    identical()


try:
    {f.__name__: f for f in (identical, repeatable, locks, panic, mode, built, realtree, planted, periodic, hang, lost, load, interrupt, broken,
                             full, live, vm, gate, studies, gitbisect, foreign, programs, qemu10)}[CASE]()
finally:
    shutil.rmtree(work, ignore_errors=True)
