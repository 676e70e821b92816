"""``python -m tests.programs.bench.page --growth JSON... --versions JSON...``: docs/speed.md."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
from pathlib import Path

__all__ = ["page"]

_HEAD = """\
# Speed

Written by `python -m tests.programs.bench.page`, from tables that the commands below measured.
Processor time is user and system time of a command with all its processes, memory the peak of the
largest of them. Ratios compare what ran in turn; an absolute time holds for this machine only, and wall
times say little where the load is above the number of processors.

Machine: {machine}.
"""
_GROWTH = """
## Growth

`python -m tests.programs.bench.growth --json growth.json`: 100 documents per query. The files were read
before, and the modules compiled. An exponent of 1 is growth in proportion, of the last step, without the
start of Python.
`compare` and `impact` look at every pair of runs.
"""
_VERSIONS = """
## Beside an older version

`git worktree add OLD COMMIT; python -m tests.programs.bench.versions OLD --json versions.json`, where COMMIT
was {old}. Warm: modules are compiled, as users have it. Cold: every module is compiled again, those of
Python and of other packages too.
"""
_OTHERS = """
## Other tools, and workers

`python -m tests.programs.bench --workloads W1 W2 W3 W5 --scale 1` puts crosscheck beside trec_eval,
pytrec_eval, ir_measures and ranx, and two workers beside one. For the two alone, add
`--workloads W1 W5 --base crosscheck --tools crosscheck "crosscheck, 2 workers"`.
"""


def page(growth: list[dict[str, object]], versions: list[dict[str, object]], machine: str) -> str:
    """The page as Markdown; tables without rows are left out."""
    parts = [_HEAD.format(machine=machine)]
    for what in ("queries", "runs"):
        rows = [{k: v for k, v in row.items() if k != "over"} for row in growth if row["over"] == what]
        if rows:
            about = _GROWTH if len(parts) == 1 else ""
            parts.append(f"{about}\nWith the {what} (cpu in s, rss in MB):\n\n{_table(rows)}")
    if versions:
        old = ", ".join(dict.fromkeys(str(row["old"]) for row in versions))
        rows = [{k: v for k, v in row.items() if k != "old"} for row in versions]
        parts.append(f"{_VERSIONS.format(old=old)}\ncpu and wall in s, rss in MB:\n\n{_table(rows)}")
    return "".join([*parts, _OTHERS])


def _table(rows: list[dict[str, object]]) -> str:
    heads = list(dict.fromkeys(key for row in rows for key in row))
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    lines += [[_written(row.get(head)) for head in heads] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _written(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) and value < 100 else str(value).partition(".")[0]


def _machine() -> str:
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(": ")[2] if names else model
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    python = f"Python {platform.python_version()}, numpy {importlib.metadata.version('numpy')}"
    return f"{model}, {os.cpu_count()} processors, {python}; load averages when this was written: {load}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.bench.page", description=__doc__)
    parser.add_argument("--growth", nargs="*", type=Path, default=[])
    parser.add_argument("--versions", nargs="*", type=Path, default=[])
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    growth, versions = (
        [row for path in paths for row in json.loads(path.read_text("utf-8"))]
        for paths in (options.growth, options.versions)
    )
    text = page(growth, versions, _machine())
    if options.output is None:
        sys.stdout.write(text)
    else:
        options.output.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
