#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What wrong input gets: one sentence, and the right exit status. Boots nothing. Usage: cli.py KTOLL"""
import os
import shutil
import subprocess
import sys
import tempfile

KTOLL = os.path.abspath(sys.argv[1])
work = tempfile.mkdtemp(prefix="ktoll-cli-")
env = dict(os.environ, XDG_CACHE_HOME=work + "/cache", XDG_DATA_HOME=work + "/data")
failed = 0


def case(args, status, *words, **more):
    """Runs ktoll and wants this exit status and these words in what it says."""
    global failed
    p = subprocess.run([KTOLL, *args], env=dict(env, **more), capture_output=True, text=True,
                       timeout=60)
    said = p.stdout + p.stderr
    missing = [w for w in words if w not in said]
    if p.returncode != status or missing or "Sanitizer" in said:
        failed += 1
        print(f"ktoll {' '.join(args)}: status {p.returncode} ({status} expected), "
              f"missing {missing}, said:\n{said}")


try:
    case([], 129, "usage:")
    case(["--help"], 0, "usage:", "compare", "diffconfig", "report", "list", "doctor")
    case(["--version"], 0, "ktoll 0.")
    case(["conquer"], 129, "no verb conquer")
    # What cannot be written was not done.
    for args in ["--help"], ["--version"], ["compare", "--help"], ["doctor"], ["list", "workloads"], ["run", "--dry-run", "preempt-count"]:
        with open("/dev/full", "w") as full:
            p = subprocess.run([KTOLL, *args], env=env, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        if p.returncode != 128 or "cannot write" not in p.stderr:
            failed += 1
            print(f"ktoll {' '.join(args)} >/dev/full: status {p.returncode}, said:\n{p.stderr}")
    case(["doctor", "x"], 129, "no operand")
    case(["compare", "--boots", "3", "debian:", "debian:"], 129, "engines with a clock")
    case(["compare", "-o", work + "/none/x.ktoll", "debian:", "debian:"], 129, "no record can be made")
    case(["bisect", "-w", "kill", "-o", work + "/none/x.ktoll", "source:6.1", "source:6.1,PSI=y"], 129, "no record can be made")
    case(["compare", "-o", "/etc/hostname", "debian:", "debian:"], 128, "/etc/hostname", "not a record")
    case(["live", "-n", "", "-w", "getppid"], 129, "-n takes a name")
    case(["judge", "--op", "foo", "/dev/null"], 129, "of rcu_read_lock it is")
    case(["bisect", "--dry-run", "-w", "kill", "--kernels", *(f"debian:6.{i}" for i in range(6))], 0, "5 steps", "about 3 for each",
         "At most 6.")
    case(["bisect", "--dry-run", "-w", "kill", "--kernels", "debian:7.2..6.1"], 129, "newer than the last; say debian:6.1..7.2")
    for verb in "compare", "diffconfig", "report", "list", "doctor":
        case([verb, "--help"], 0, f"usage: ktoll {verb}")
        case([verb, "--nonsense"], 129, "--nonsense")
        case([verb, "-?"], 129)
    case(["compare"], 129, "base and at least one other")
    case(["compare", "debian:6.1"], 129, "base and at least one other")
    case(["compare", "debian:6.1", "debian:6.1,arch=ppc64le"], 129, "for ppc64le", "for x86_64", "cannot be compared")
    case(["compare", "-w", "getppit", "debian:", "debian:"], 129, "-w getppit: no operation", "hackbench")
    case(["compare", "-w", "hackbench:groups=0", "debian:", "debian:"], 129, "groups is a number from 1")
    case(["compare", "-w", "hackbench,hackbench:loops=1000", "debian:", "debian:"], 129)
    case(["compare", "-w", "cmd:no-such-program", "debian:", "debian:"], 129, "not on this machine")
    with open(work + "/mine.yaml", "w") as f:
        f.write("about: a\nrun: b\nops: 1\nunit: c\nreader: abacus\n")
    case(["compare", "-w", work + "/mine.yaml", "debian:", "debian:"], 129, "no reader 'abacus'", "hackbench")
    with open(work + "/mine.yaml", "a") as f:
        f.write("colour: red\n")
    case(["compare", "-w", work + "/mine.yaml", "debian:", "debian:"], 128, "mine.yaml:6:1", "unknown key colour")
    case(["compare", "-w", work + "/none.yaml", "debian:", "debian:"], 128, "none.yaml")
    with open(work + "/nul.txt", "wb") as f:
        f.write(b"a 1\na 2\nb \0 3\n")
    case(["judge", work + "/nul.txt"], 128, "nul.txt:3: a NUL byte")
    case(["list", "workloads"], 0, "tbench", "nginx-hey", "groups=1")
    case(["compare", "-w", "stat", "-w", "stat", "debian:", "debian:"], 129, "twice")
    case(["compare", "-w"], 129, "needs a value")
    case(["compare", "-r", "0", "debian:", "debian:"], 129, "1 to 50")
    case(["compare", "-j", "x", "debian:", "debian:"], 129, "1 to 256")
    case(["compare", "--seed", "-1", "debian:", "debian:"], 129, "0 to 4294967295")
    case(["compare", "--engine", "time", "debian:", "debian:"], 129, "--engine takes count or vm")
    case(["compare", "--format", "xml", "debian:", "debian:"], 129, "text, json or lkml")
    case(["compare", "--threshold", "-3", "debian:", "debian:"], 129, "per cent")
    case(["compare", "-n", "a", "debian:", "debian:"], 129, "NAME=SPEC")
    case(["compare", "-n", "a=debian:", "-n", "a=debian:6.1", "a", "a"], 129, "-n a= twice")
    case(["compare", "6.1", "debian:"], 129, "column 1", "\n  6.1\n  ^")
    case(["compare", "debian:6.1,+a b", "debian:"], 129, "column 12")
    case(["compare", "debian:6.1,wat=1", "debian:"], 129, "unknown setting")
    case(["compare", "image:" + work + "/none", "debian:"], 128, "cannot read the image")
    case(["compare", "image:" + work, "debian:"], 128, "is a folder")
    with open(work + "/image", "w") as f:
        f.write("hello\n")
    case(["compare", "image:" + work + "/image", "debian:"], 128, "cannot be used as a kernel")
    case(["diffconfig"], 129, "two kernels")
    case(["diffconfig", "debian:6.1"], 129, "two kernels")
    case(["diffconfig", "debian:6.1", "debian:6.1-rt", "debian:"], 129, "two kernels")
    case(["diffconfig", "--format", "ktap", "debian:6.1", "debian:"], 129, "text or json")
    case(["diffconfig", "--color", "red", "debian:6.1", "debian:"], 129, "auto, always or never")
    case(["diffconfig", "debian:6.1,HZ=100", "debian:6.1"], 129, "column 12")
    os.makedirs(work + "/config/ktoll")
    with open(work + "/config/ktoll/options.yaml", "w") as f:
        f.write("- option: PSI\n  costs: sometimes\n")
    case(["diffconfig", "debian:6.1", "debian:6.1-rt"], 128, "options.yaml:2:10: costs is one of on, off",
         XDG_CONFIG_HOME=work + "/config")
    case(["list", "kernel"], 129, "kernels, workloads, mechanisms, studies or cache")
    case(["list", "workloads"], 0, "getppid", "page-fault", "spin", "tick")
    case(["list", "cache"], 0)
    # What the cache holds. A link leads out of it, to what does not count.
    cached = work + "/held/ktoll/"
    for folder, about in (
            ("debian/kernels/d", "package: linux-image-t\nversion: 6.1.1-1\narch: x86_64\nrelease: 6.1.0-t\n"),
            ("source/s", "package: linux-source-6.1\nversion: 6.1.2-3\n"),
            ("image/i", "arch: aarch64\nspec: image:/boot/Image\n"),
            ("built/kernels/b", "arch: ppc64le\nspec: source:6.1,config=small\nrelease: 6.1.192\n"),
            ("built/kernels/unfinished", None)):
        os.makedirs(cached + folder)
        if about:
            with open(cached + folder + "/about", "w") as f:
                f.write(about)
    for path in cached + "built/kernels/b/vmlinux", work + "/outside":
        with open(path, "wb") as f:
            f.write(os.urandom(3 << 20))
    os.symlink(work, cached + "built/kernels/b/link")
    # One file under three names, in two folders: counted once in each table.
    os.link(cached + "built/kernels/b/vmlinux", cached + "built/kernels/b/again")
    os.link(cached + "built/kernels/b/vmlinux", cached + "source/s/vmlinux")
    listed = subprocess.run([KTOLL, "list", "cache"], env=dict(env, XDG_CACHE_HOME=work + "/held"),
                            capture_output=True, text=True).stdout
    rows = [" ".join(line.split()[2:]) for line in listed.splitlines()]
    for row in ("x86_64 6.1.0-t linux-image-t 6.1.1-1", "- - linux-source-6.1 6.1.2-3",
                "aarch64 - image:/boot/Image", "ppc64le 6.1.192 source:6.1,config=small"):
        if row not in rows:
            failed += 1
            print(f"list cache: no row '{row}' in:\n{listed}")
    if listed.count("3.0 MiB") != 2 or "unfinished" in listed:
        failed += 1
        print(f"list cache: not 3.0 MiB for the folder and the kernel that was built:\n{listed}")
    case(["list", "kernels"], 0)
    case(["list", "mechanisms"], 0, "RCU reader", "PREEMPT_RCU")
    captured = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../replay/x86_64.ktoll")
    case(["explain"], 129, "a record is wanted")
    case(["explain", work + "/none.ktoll"], 128, "there is no")
    case(["explain", "--by", "line", captured], 129, "mechanism, function or instruction")
    case(["explain", "--format", "ktap", captured], 129, "text or json")
    case(["explain", captured, "kill_pid_info"], 129, "--by instruction")
    case(["explain", "--by", "instruction", captured], 129, "name of a function")
    case(["explain", "--by", "instruction", "--format", "json", captured, "avc_has_perm"], 129, "text only")
    case(["explain", "--by", "instruction", captured, "no_such_function"], 129, "nothing of it was executed")
    case(["explain", "-w", "getppid", captured], 129, "the record has kill, unix")
    case(["explain", "-w", "kill", captured], 0, "__rcu_read_lock")
    case(["explain", "-w", "kill", "--by", "instruction", captured, "avc_has_perm"], 0, "avc_has_perm, ", "ret")
    with open(work + "/runs.tsv", "w") as f:
        f.write("old\tnew\n" + "".join(f"{100 + i % 3}\t{110 + i % 3}\n" for i in range(12)))
    case(["judge"], 129, "a file with the numbers is wanted")
    case(["judge", work + "/none.txt"], 128, "none.txt")
    case(["judge", "--tool", "bench", work + "/runs.tsv"], 129, "known are")
    case(["judge", "--better", "more", work + "/runs.tsv"], 129, "higher or lower")
    case(["judge", "--base", "x", work + "/runs.tsv"], 129, "the sides are old, new")
    case(["judge", work + "/runs.tsv"], 0, "new", "12/12", "more")
    case(["judge", "--better", "lower", "--unit", "s", "--exit-code", work + "/runs.tsv"], 1, "slower", "BCa")
    case(["judge", "--base", "new", "--better", "lower", work + "/runs.tsv"], 0, "faster")
    case(["judge", "--format", "json", work + "/runs.tsv"], 0, "ktoll/judge/1", '"verdict": "more"')
    with open(work + "/negative.tsv", "w") as f:
        f.write("old\tnew\n1\t5\n-2\t6\n3\t7\n")
    case(["judge", work + "/negative.tsv"], 0, "old has -2 (run 2)", "means 0.667 -> 6, difference +5.333", "no-verdict")
    with open(work + "/mail.txt", "w") as f:
        f.write("Hi,\n\nI get this:\n> run old new\n> 1 10 12\n> 2 11 13\n\nThanks,\n-- \nJoe\n")
    case(["judge", work + "/mail.txt"], 0, "read as tables: lines 4 to 6; taken for prose: 5 other lines", "new against old")
    case(["judge", "--format", "json", work + "/mail.txt"], 0, '"notes": [', "lines 4 to 6")
    case(["judge", "--format", "json", work + "/negative.tsv"], 0, '"means_difference": 5.33', '"p_ranks": 0.1')
    case(["report"], 129, "a record")
    case(["report", work + "/none.ktoll"], 128, "there is no")
    with open(work + "/text.ktoll", "w") as f:
        f.write("not a record\n" * 100)
    case(["report", work + "/text.ktoll"], 128, "not a record")
    with open(work + "/empty.ktoll", "w"):
        pass
    case(["report", work + "/empty.ktoll"], 128, "not a record")
    case(["report", work], 128, "not a record")
    case(["report", captured, os.path.dirname(captured) + "/./x86_64.ktoll"], 129, "is there twice")
    # A machine without QEMU, or with one that is none.
    case(["doctor"], 128, "MISSING", "apt install qemu-system-x86", KTOLL_QEMU=work + "/no-qemu")
    case(["doctor"], 128, "MISSING", KTOLL_QEMU="/bin/true")
    case(["doctor"], 128, "MISSING", "KTOLL_PLUGIN_DIR", KTOLL_PLUGIN_DIR=work)
    case(["doctor"], 0, "qemu", "plugin API", "cx16", "ok")
    # A /dev/kvm that opens is not enough: a guest has to run with it.
    qemu = work + "/qemu-without-kvm"
    with open(qemu, "w") as f:
        f.write('#!/bin/sh\ncase " $* " in *" kvm "*)\n'
                "  echo 'qemu-system-x86_64: warning: host misses a feature' >&2\n"
                "  echo 'qemu-system-x86_64: error: failed to set an MSR' >&2; exit 1;;\n"
                'esac\nexec qemu-system-x86_64 "$@"\n')
    os.chmod(qemu, 0o755)
    opens = os.access("/dev/kvm", os.R_OK | os.W_OK)
    case(["doctor"], 0, "absent   kvm", "does not run with it (error: failed to set an MSR)" if opens else "/dev/kvm: ", KTOLL_QEMU=qemu)
    # A QEMU built without seccomp does its work outside of the sandbox, and that is said; with it, inside.
    case(["doctor"], 0, "ok       sandbox    guests run in QEMU's")
    qemu = work + "/qemu-without-seccomp"
    with open(qemu, "w") as f:
        f.write('#!/bin/sh\ncase " $* " in *" -sandbox "*)\n'
                "  echo 'qemu-system-x86_64: -sandbox: There is no option group '\"'sandbox'\" >&2; exit 1;;\n"
                'esac\nexec qemu-system-x86_64 "$@"\n')
    os.chmod(qemu, 0o755)
    case(["doctor"], 0, "plugin API", "absent   sandbox         -sandbox: There is no option group 'sandbox'",
         "guests run without it", KTOLL_QEMU=qemu)
    # Arguments for a QEMU that nobody has named.
    case(["doctor"], 128, "KTOLL_QEMU_ARGS is for the QEMU that KTOLL_QEMU names, and it names none",
         "unset KTOLL_QEMU_ARGS, or name the QEMU that it is for with KTOLL_QEMU", KTOLL_QEMU_ARGS="-L /nowhere")
    # No standard output: an error, and not a report in whatever was opened first.
    p = subprocess.run(["sh", "-c", f"'{KTOLL}' report '{work}/text.ktoll' >&-"], env=env,
                       capture_output=True)
    if p.returncode != 128:
        failed += 1
        print(f"report without a standard output: status {p.returncode}")
    # No place to write to.
    case(["list", "cache"], 128, "cannot create the folder", XDG_CACHE_HOME="/proc/none")
finally:
    shutil.rmtree(work, ignore_errors=True)
sys.exit(1 if failed else 0)
