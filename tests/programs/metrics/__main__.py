"""``python -m tests.programs.metrics``: audits all metrics and says which verdicts are wrong.

Fails if a verdict is wrong, or if fewer than 95 in 100 functions are called as they are written for.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context

from tests.programs.metrics.registry import METRICS, audited_row


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.metrics", description=__doc__)
    kinds = sorted({metric.kind for metric in METRICS})
    parser.add_argument("--kind", nargs="+", default=kinds, choices=kinds)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", metavar="TEXT", help="metrics whose name holds this text")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes")
    parser.add_argument("--json", metavar="FILE", help="add each audit to this file, a line each")
    given = parser.parse_args()
    chosen = [m for m in METRICS if m.kind in given.kind and given.only in str(m)][:: given.every]
    if not chosen:
        parser.error(f"no metric is called {given.only!r}")
    rows = []
    # Not max_tasks_per_child: with it Python 3.11 may wait for ever (gh-115634).
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        for row in pool.map(audited_row, chosen, repeat(given.seed)):
            rows.append(row)
            if row["wrong"]:
                print(
                    f"wrong: {row['kind']}: {row['name']}: {row['verdict']}: {'; '.join(row['wrong'])}",
                    flush=True,
                )
            if given.json:
                with open(given.json, "a", encoding="utf-8") as file:
                    file.write(json.dumps(row, default=str) + "\n")
            print(f"\r{len(rows)} of {len(chosen)} audits", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for kind in given.kind:
        verdicts = Counter(row["verdict"] for row in rows if row["kind"] == kind)
        print(f"{kind:10} {', '.join(f'{number} {verdict}' for verdict, number in verdicts.items())}")
    print(f"{sum(row['seconds'] for row in rows):.0f} s in audits")
    miscalled = sum(any(why.startswith("called as") for why in row["wrong"]) for row in rows)
    signatures = sum(row["kind"] == "signature" for row in rows)
    others = sum(any(not why.startswith("called as") for why in row["wrong"]) for row in rows)
    return int(others > 0 or 20 * miscalled > signatures)


if __name__ == "__main__":
    raise SystemExit(main())
