#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How often what means nothing is called a difference, and how often a planted one is found.

nullpairs.py KTOLL RECORD: all pairs of the record's variants are judged. Those whose names are equal up to the first "-" differ
in nothing that matters; the others should be told apart. For instance

    ktoll compare -o r.ktoll -w xz -w hackbench -n a-1=debian:6.1,+ktoll.x=1 -n a-2=debian:6.1,+ktoll.x=2 a-1 a-2 ...
"""
import collections
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

TABLES = ["boot", "guest", "sample", "metric", "failure", "param", "origin"]


def with_base(record, copy, base):
    """The record once more, with its variant number `base` first."""
    shutil.copy(record, copy)
    db = sqlite3.connect(copy)
    for column, tables in ("number", ["variant"]), ("variant", TABLES):
        for table in tables:
            db.execute(f"UPDATE {table} SET {column} = -1 WHERE {column} = 0")
            db.execute(f"UPDATE {table} SET {column} = 0 WHERE {column} = {base}")
            db.execute(f"UPDATE {table} SET {column} = {base} WHERE {column} = -1")
    db.commit()
    db.close()


def main():
    ktoll, record = sys.argv[1:3]
    verdicts = collections.Counter()
    least = collections.defaultdict(list)
    n = sqlite3.connect(f"file:{record}?mode=ro", uri=True).execute("SELECT count(*) FROM variant").fetchone()[0]
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        for base in range(n - 1):
            copy = os.path.join(folder, "copy.ktoll")
            if base:
                with_base(record, copy, base)
            else:
                shutil.copy(record, copy)
            r = subprocess.run([ktoll, "report", "--format", "json", copy], capture_output=True, text=True, check=True)
            for c in json.loads(r.stdout)["comparisons"]:
                pair = frozenset((c["base"], c["other"], c["workload"]))
                if pair in seen:
                    continue
                seen.add(pair)
                kind = "null" if c["base"].split("-")[0] == c["other"].split("-")[0] else "planted"
                verdicts[kind, c["workload"], c["verdict"]] += 1
                if c["null"]:
                    least[kind, c["workload"]].append(c["null"]["least_called"])
    for (kind, workload, verdict), count in sorted(verdicts.items()):
        print(f"{kind:8} {workload:24} {verdict:12} {count}")
    for (kind, workload), values in sorted(least.items()):
        print(f"{kind:8} {workload:24} smallest difference that is called: {min(values) * 100:.3g} to {max(values) * 100:.3g} %")


if __name__ == "__main__":
    main()
