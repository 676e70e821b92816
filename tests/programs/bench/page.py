"""``python -m tests.programs.bench.page OLD``: measures, and writes the numbers of ``docs/speed.md`` anew.

OLD is the folder of another checkout, as for :mod:`tests.programs.bench.versions`. On a machine that is not
quiet the numbers say little.
"""

import os
import platform
import re
import sys
from pathlib import Path

import numpy as np

from tests.programs.bench import growth, versions
from tests.programs.bench.timing import Rows
from tests.programs.frame import written

PAGE = Path(__file__).parents[3] / "docs" / "speed.md"


def page(text: str, machine: str, grown: Rows, beside: Rows) -> str:
    """The page with the machine, the other checkout, and the rows of both programs in place of its tables."""
    tables = iter([*([row for row in grown if row["over"] == what] for what in ("queries", "runs")), beside])
    text = re.sub(r"(?m)^Machine: .*", f"Machine: {machine}.", text)
    text = re.sub(r"(?<=with OLD at ).*?(?=\. Modules)", beside[0]["old"], text)
    return re.sub(r"(?m)^(\|.*\n)+", lambda found: _table(next(tables)), text)


def _table(rows: Rows) -> str:
    heads = [name for name in rows[0] if name not in ("over", "old")]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    lines += [[written(row.get(name)) for name in heads] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    machine = (
        f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}, "
        f"numpy {np.__version__}; load averages before: {load}"
    )
    made = page(PAGE.read_text("utf-8"), machine, growth.main([]), versions.main(sys.argv[1:]))
    PAGE.write_text(made, "utf-8")


if __name__ == "__main__":
    main()
