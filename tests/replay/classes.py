#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: classes.py KTOLL ARCH...

How many barriers, atomics, calls and so on the kernels of the captured records executed: what `ktoll explain`
says against what binutils' disassembler makes of the same bytes. An architecture without an objdump is an error.
"""
import collections
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent
TOOLS = {"x86_64": ("objdump", "i386:x86-64"), "ppc64le": ("powerpc64le-linux-gnu-objdump", "powerpc:common64"),
         "aarch64": ("aarch64-linux-gnu-objdump", "aarch64"), "riscv64": ("riscv64-linux-gnu-objdump", "riscv:rv64")}


def numbers(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def read_code(data):
    code, at, addr = {}, 0, 0
    while at < len(data):
        step, at = numbers(data, at)
        addr += step
        n = data[at] & 0xF
        code[addr] = data[at + 1:at + 1 + n]
        at += 1 + n
    return code


def read_profile(data):
    at, addr = 0, 0
    while at < len(data):
        step, at = numbers(data, at)
        count, at = numbers(data, at)
        entries, at = numbers(data, at)
        addr += step
        yield addr, entries or count


def disassemble(arch, codes):
    """The text of each instruction by its bytes, each at a multiple of 16."""
    program, machine = TOOLS[arch]
    with tempfile.NamedTemporaryFile() as f:
        f.write(b"".join(c.ljust(16, b"\x90" if arch == "x86_64" else b"\0") for c in codes))
        f.flush()
        out = subprocess.run([program, "-D", "-z", "-EL", "-b", "binary", "-m", machine, "--insn-width=16", f.name],
                             capture_output=True, text=True, check=True).stdout
    texts = {}
    for line in out.splitlines():
        m = re.match(r"\s*([0-9a-f]+):\t[0-9a-f ]+\t(.*)", line)
        if m and int(m[1], 16) % 16 == 0:
            texts[codes[int(m[1], 16) // 16]] = m[2].split("#")[0].split("//")[0].split("<")[0].strip()
    return texts


def x86_64(text):
    words = text.replace("data16", "").replace("cs ", "").replace("notrack ", "").replace("bnd ", "").split(None, 1)
    name, rest = words[0], words[1] if len(words) > 1 else ""
    if name in ("mfence", "lfence", "sfence", "cpuid"):
        yield "barriers", name
    elif name == "lock":
        op = rest.split()[0].rstrip("lqwb") if rest.split()[0] not in ("sub",) else "sub"
        yield ("barriers", "lock add $0") if re.match(r"addl\s+\$0x0,-?0x[0-9a-f]+\(%rsp\)", rest) else ("atomics", "lock")
    elif name.startswith("xchg") and "(" in rest or name.startswith("xchg") and "%gs:" in rest:
        yield "atomics", "xchg"
    if name.startswith("call"):
        yield "calls", None
    elif name.startswith("ret"):
        yield "returns", None
    elif re.match(r"j[a-z]+$", name):
        yield "branches", None
    if name.startswith("nop") or name == "xchg" and rest == "%ax,%ax":
        yield "nops", None


def ppc64le(text):
    name = text.split()[0].rstrip("+-")
    # With bit 6, as the kernel writes it where store forwarding is a leak, it has another name in book E.
    if name == "mbar":
        name = "eieio"
    if name in ("hwsync", "sync", "lwsync", "ptesync", "isync", "eieio"):
        yield "barriers", {"hwsync": "sync"}.get(name, name)
    elif re.match(r"l[bhwdq]arx|st[bhwdq]cx\.", name):
        yield "atomics", name
    if re.match(r"b[a-z]*l$|b[a-z]*lrl$|b[a-z]*ctrl$|bla$", name) and not text.startswith("bcl"):
        yield "calls", None
    elif re.match(r"b[a-z]*lr$", name):
        yield "returns", None
    elif re.match(r"b[a-z]*$", name) and not name.startswith(("brh", "brw", "brd", "bpermd")):
        yield "branches", None
    if name == "nop":
        yield "nops", None
    if re.match(r"(l[bhwd][zau]*x?|l[hwd]brx|l[bhwd]arx|lwa|ld|lmw|lq|lfd|lfs|lxv\w*|lvx)$", name):
        yield "loads", None
    if re.match(r"(st[bhwd]u?x?|st[hwd]brx|st[bhwd]cx\.|stmw|stq|stfd|stfs|stxv\w*|stvx)$", name):
        yield "stores", None


def aarch64(text):
    name = text.split()[0]
    if name in ("dmb", "dsb", "isb", "sb"):
        yield "barriers", " ".join(text.split()) if name in ("dmb", "dsb") else name
    elif re.match(r"(ld|st)[al]?x[rp][bh]?$|cas\w*$|swp\w*$|(ld|st)(add|clr|eor|set|smax|smin|umax|umin)[abhl]*$", name):
        yield "atomics", None
    elif re.match(r"(ldar|stlr|ldapr|ldapur|stlur|ldlar|stllr)[bh]?$", name):
        yield "acquire/release", name
    if name in ("bl", "blr") or re.match(r"blra[ab]z?$", name):
        yield "calls", None
    elif name in ("ret", "retaa", "retab"):
        yield "returns", None
    elif name in ("b", "br", "cbz", "cbnz", "tbz", "tbnz") or name.startswith("b."):
        yield "branches", None
    if name == "nop":
        yield "nops", None
    if name in ("mrs", "msr") and not re.search(r"tpidr_el0|tpidrro_el0|nzcv|fpcr|fpsr|cntv|ctr_el0|dczid", text) \
            or name in ("tlbi", "eret", "hvc", "smc", "at"):
        yield "privileged", None


def riscv64(text):
    name = text.split()[0]
    if name.startswith("fence"):
        yield "barriers", " ".join(text.split())
    elif re.match(r"(lr|sc|amo\w+)\.", name):
        yield "atomics", name
    if name in ("jal", "jalr"):
        yield "calls", None
    elif name == "ret":
        yield "returns", None
    elif name in ("j", "jr") or re.match(r"b(eq|ne|lt|ge|ltu|geu|gt|le|gtu|leu|eqz|nez|ltz|gez|gtz|lez)$", name):
        yield "branches", None
    if name == "nop":
        yield "nops", None
    if re.match(r"(l[bhwd]u?|fl[wd])$|lr\.|amo", name):
        yield "loads", None
    if re.match(r"(s[bhwd]|fs[wd])$|sc\.|amo", name):
        yield "stores", None


CHECKED = {
    x86_64: ["barriers", "atomics", "calls", "returns", "branches", "nops"],
    ppc64le: ["barriers", "atomics", "calls", "returns", "branches", "nops", "loads", "stores"],
    aarch64: ["barriers", "atomics", "acquire/release", "calls", "returns", "branches", "nops", "privileged"],
    riscv64: ["barriers", "atomics", "calls", "returns", "branches", "nops", "loads", "stores"],
}


def kind_of(arch, cls, kind):
    """Kinds that the disassembler tells apart in the same way."""
    return kind if cls == "barriers" or cls == "acquire/release" or (cls == "atomics" and arch in ("ppc64le", "riscv64")) \
        else None


def count(db, arch, variant, workload):
    blob = lambda i: db.execute("SELECT data FROM blob WHERE id = ?", (i,)).fetchone()[0]
    code = read_code(blob(db.execute("SELECT code FROM boot WHERE variant = ?", (variant,)).fetchone()[0]))
    texts = disassemble(arch, sorted(set(code.values())))
    n = collections.Counter()
    for (profile,) in db.execute("SELECT profile FROM sample WHERE variant = ? AND workload = ?", (variant, workload)):
        for addr, executed in read_profile(blob(profile)):
            if addr >> 63:
                for cls, kind in globals()[arch](texts[code[addr]]):
                    n[cls, kind_of(arch, cls, kind)] += executed
    return n


def check(ktoll, record, arch):
    r = subprocess.run([ktoll, "explain", "--format", "json", record], capture_output=True, text=True, check=True)
    db = sqlite3.connect(f"file:{record}?mode=ro", uri=True)
    names = [n for (n,) in db.execute("SELECT name FROM variant ORDER BY number")]
    n_checked = 0
    for e in json.loads(r.stdout)["comparisons"]:
        for side in ("base", "other"):
            want = count(db, arch, names.index(e[side]), e["workload"])
            got = collections.Counter()
            for c in e["classes"]:
                if c["class"] in CHECKED[globals()[arch]]:
                    got[c["class"], kind_of(arch, c["class"], c["kind"])] += c[side]
            got, want = +got, +want
            assert got == want, f"{arch}, {e['workload']}, {side}: ktoll {got - want}, objdump {want - got}"
            n_checked += len(got)
    return n_checked


def main():
    for arch in sys.argv[2:]:
        print(f"{arch}: {check(sys.argv[1], here / (arch + '.ktoll'), arch)} sums agree with {TOOLS[arch][0]}")


if __name__ == "__main__":
    main()
