"""``python -m tests.programs.bench.page OLD``: measures, and writes ``docs/speed.md``.

OLD is the folder of another checkout, as for :mod:`tests.programs.bench.versions`. On a machine that is not
quiet the numbers say little.
"""

import argparse
import os
import platform
from pathlib import Path

import numpy as np

from tests.programs.bench import growth, versions
from tests.programs.bench.timing import Rows
from tests.programs.frame import written

PAGE = Path(__file__).parents[3] / "docs" / "speed.md"
_TEXT = """\
# Speed

`python -m tests.programs.bench.page OLD` writes this page; OLD is another checkout (`git worktree add OLD
COMMIT`). Processor time is user and system time of a command with all its processes, memory the peak of the
largest of them. Ratios compare what ran in turn; an absolute time holds for this machine only, and wall
times say little where the load is above the number of processors.

Machine: {machine}.

## Growth

`python -m tests.programs.bench.growth`: 100 documents per query. The files were read before, and the
modules compiled. An exponent of 1 is growth in proportion, of the last step, without the start of Python.
`compare` and `impact` look at every pair of runs.

With the queries (cpu in s, rss in MB):

{queries}

With the runs (cpu in s, rss in MB):

{runs}

## Beside an older version

`python -m tests.programs.bench.versions OLD`, with OLD at {old}. Modules are compiled, as users have them;
cpu and wall in s, rss in MB:

{versions}

## Other tools, and workers

`python -m tests.programs.bench --workloads W1 W2 W3 W5 --scale 1` puts crosscheck beside trec_eval,
pytrec_eval, ir_measures and ranx, and two workers beside one. For the two alone, add
`--workloads W1 W5 --base crosscheck --tools crosscheck "crosscheck, 2 workers"`.
"""


def page(machine: str, grown: Rows, beside: Rows) -> str:
    """The page, from the rows of both programs."""
    tables = {what: _table([row for row in grown if row["over"] == what]) for what in ("queries", "runs")}
    (old,) = {row["old"] for row in beside}
    return _TEXT.format(machine=machine, old=old, versions=_table(beside), **tables)


def _table(rows: Rows) -> str:
    heads = [name for name in rows[0] if name not in ("over", "old")]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    lines += [[written(row.get(name)) for name in heads] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.bench.page", description=__doc__)
    parser.add_argument("old")
    options = parser.parse_args()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    machine = (
        f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}, "
        f"numpy {np.__version__}; load averages before: {load}"
    )
    PAGE.write_text(page(machine, growth.main([]), versions.main([options.old])), "utf-8")


if __name__ == "__main__":
    main()
