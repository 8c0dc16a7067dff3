#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the completion for bash offers, in lines whose answers are known. Usage: completion.py KTOLL SCRIPT"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

KTOLL, SCRIPT = (os.path.abspath(arg) for arg in sys.argv[1:3])
BREAKS = " \t\n\"'><=;|&(:"  # bash's own COMP_WORDBREAKS
SETTINGS = ["arch=", "cpu=", "memcg=", "selinux=", "+preempt="]
SOURCES = ["debian:", "source:", "tree:", "image:"]
VARIED = SOURCES + ["rt"]

# The line up to the cursor, behind "ktoll "; what is put in place of what stands behind its last ":", "=" or blank.
CASES = [
    ("comp", ["compare"]),
    ("--v", ["--version"]),
    ("compare --rep", ["--replicates"]),
    ("gate --ex", []),
    ("compare --exit", ["--exit-code"]),
    # Values of options: fixed ones, those that --help names, those that the program names elsewhere.
    ("compare --engine ", ["count", "vm"]),
    ("compare --engine=v", ["vm"]),
    ("run debug-preempt --engine ", ["count", "vm", "live"]),
    ("compare --format j", ["json"]),
    # Of the study that is on the line.
    ("run debug-preempt --only ", ["x86_64", "hackbench:groups=1", "hackbench:groups=4", "unix", "n", "y"]),
    ("run --only x86_64 preempt-rcu-kill --only y/p", ["y/permissive"]),
    ("run --only ", []),
    ("live -n ", []),
    ("gate --format k", ["ktap"]),
    ("explain --by ", ["mechanism", "function", "instruction"]),
    ("live --color a", ["auto", "always"]),
    ("judge --better ", ["higher", "lower"]),
    ("judge --tool hy", ["hyperfine"]),
    ("compare -r ", []),
    # Workloads: operations and programs, lists, parameters, files.
    ("compare -w get", ["getppid"]),
    ("bisect --workload getppid,page", ["getppid,page-fault"]),
    ("compare -w hackb", ["hackbench"]),
    ("compare -w hackbench:", ["groups=", "mode=process", "mode=thread", "ipc=socket", "ipc=pipe", "datasize=",
                               "loops="]),
    ("compare -w hackbench:groups=2,mode=t", ["thread"]),
    ("compare -w ./", ["./mine.yaml", "./linux", "./two words"]),
    # Records and folders.
    ("report ", ["rt.ktoll", "linux", "two words"]),
    ("compare -o r", ["rt.ktoll"]),
    ("gate --base ", ["rt.ktoll", "linux", "two words"]),
    ("explain rt.ktoll ", []),
    ("judge r", ["rt.ktoll", "runs.log"]),
    # Kernel specs.
    ("diffconfig ", SOURCES),
    ("gate --limit 1 d", ["debian:"]),
    ("compare tree:", ["linux", "two words"]),
    ("compare tree:l", ["linux"]),
    ("compare 'tree:two", ["tree:two words"]),
    ("compare image:bz", ["bzImage"]),
    ("compare debian:6.1,", ["6.1," + s for s in SETTINGS]),
    ("compare debian:6.1,cc", []),
    ("compare source:6.1,cc=", ["gcc", "clang"]),
    ("compare source:6.1,HZ=100,config=d", ["debian", "defconfig"]),
    ("compare tree:linux,patch=mine.p", ["mine.patch"]),
    ("compare image:bzImage,vm", ["bzImage,vmlinux="]),
    ("compare debian:6.1,selinux=", ["enforcing", "permissive", "off"]),
    (r"compare debian:6.1,cpu=qemu64\\,+popcnt,mem", [r"qemu64\\,+popcnt,memcg="]),
    ("compare debian:6.1,+preempt=", ["none", "voluntary", "full", "lazy"]),
    # Names for specs.
    ("compare -n r", []),
    ("compare -n rt=", SOURCES),
    ("compare --name=rt=de", ["debian:"]),
    ("compare -n rt=debian:6.1,+preempt=f", ["full"]),
    ("compare -n rt=debian:6.1-rt ", VARIED),
    ("compare -n rt=debian:6.1-rt r", ["rt"]),
    # The others.
    ("list m", ["mechanisms"]),
    ("live ", ["preempt=", "selinux="]),
    ("live preempt=none,f", ["none,full"]),
    ("conquer --", []),
]


def case_of(line):
    """The shell's variables at the end of the line, as bash sets them."""
    line = "ktoll " + line
    words = re.findall(r"'[^']*|[:=]+|[^\s:=]+", line) + ([""] if line.endswith(" ") else [])
    return (f"COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)} COMP_CWORD={len(words) - 1} "
            f"COMP_WORDS=({' '.join(map(shlex.quote, words))})\n"
            "_ktoll; printf '%s\\n' \"${#COMPREPLY[@]}\"; ((!${#COMPREPLY[@]})) || printf '%s\\n' \"${COMPREPLY[@]}\"\n")


with tempfile.TemporaryDirectory(prefix="ktoll-completion-") as tmp:
    for folder in "bin", "work/linux", "work/two words":
        os.makedirs(f"{tmp}/{folder}")
    for name in "rt.ktoll", "runs.log", "bzImage", "mine.yaml", "mine.patch":
        with open(f"{tmp}/work/{name}", "w") as f:
            f.write("")
    os.symlink(KTOLL, tmp + "/bin/ktoll")
    script = f"source {shlex.quote(SCRIPT)}\nCOMP_WORDBREAKS={shlex.quote(BREAKS)}\n"
    p = subprocess.run(["bash", "--norc", "-c", script + "".join(case_of(line) for line, _ in CASES)],
                       cwd=tmp + "/work", env=dict(os.environ, PATH=f"{tmp}/bin:{os.environ['PATH']}"),
                       capture_output=True, encoding="utf-8", timeout=100)
failed = 0
said = iter(p.stdout.splitlines())
for line, wanted in CASES:
    offered = [next(said) for _ in range(int(next(said, "0")))]
    if sorted(offered) != sorted(wanted):
        failed += 1
        print(f"ktoll {line}: offered {offered}, and not {wanted}")
if p.stderr or p.returncode:
    failed += 1
    print(f"bash: status {p.returncode}, said:\n{p.stderr}")
sys.exit(1 if failed else 0)
