#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: replay.py KTOLL

What `ktoll explain` says about captured records, one for each architecture: text against the file beside the
record, and rows that add up; and what `ktoll judge` says about a table. A record is made with tools/trim-record; KTOLL_UPDATE_GOLDEN=1 writes the texts.
"""
import json
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent


def explain(ktoll, *args):
    return run(ktoll, "explain", *args)


def run(ktoll, *args):
    r = subprocess.run([ktoll, *map(str, args)], capture_output=True, text=True)
    assert r.returncode == 0, f"{args}: status {r.returncode}: {r.stderr}"
    return r.stdout


def check_sums(name, e):
    """To the instruction: no row is lost, none is counted twice."""
    for side in ("base", "other"):
        groups = sum(g[side] for g in e["rows"])
        rows = sum(r[side] for g in e["rows"] for r in g["rows"])
        total = e["total"][side]
        assert groups == rows == total, f"{name}, {e['workload']}: {groups}, {rows} and {total} do not agree"
    for g in e["rows"]:
        per_op = g["other"] / e["other_ops"] - g["base"] / e["base_ops"]
        assert abs(per_op - g["delta_per_op"]) < 1e-6


def check_golden(text, golden):
    if os.environ.get("KTOLL_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8"), f"not as in {golden.name}:\n{text}"


def main():
    ktoll, n = sys.argv[1], 0
    table = here / "runs.tsv"
    judge = ["judge", "--better", "higher", "--unit", "MB/s"]
    check_golden(run(ktoll, *judge, table), here / "runs.txt")
    check_golden(run(ktoll, *judge, "--format", "json", table), here / "runs.json")
    for record in sorted(here.glob("*.ktoll")):
        check_golden(explain(ktoll, record), record.with_suffix(".txt"))
        for by in ("mechanism", "function"):
            comparisons = json.loads(explain(ktoll, "--format", "json", "--by", by, record))["comparisons"]
            assert comparisons, f"{record.name}: nothing is explained"
            for e in comparisons:
                check_sums(record.name, e)
                n += 1
    assert n >= 8, f"only {n} comparisons"
    print(f"{n} explanations add up")


if __name__ == "__main__":
    main()
