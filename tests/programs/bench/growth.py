"""``python -m tests.programs.bench.growth``: how the commands grow with queries and runs.

Each command works on 50 to 5,000 queries of one or two runs, or on 2 to 200 runs of 50 queries. An exponent e
says that the last step of the size multiplies processor time or memory by its e-th power: 1 is in proportion
to the input. Work over pairs of runs is expected to reach 2 with the runs. Starting Python is subtracted.
"""

import json
import math
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import crosscheck
from tests.programs.bench.timing import COMMANDS, Rows, interleaved, options, ours, printed, summary
from tests.programs.bench.workloads import Workload

#: 100 documents per query, of which a third of 40 judged ones, and many equal scores.
_SHAPE = Workload("growth", 50, 100, 40, 3, 0.5, decimals=1)
#: The sizes of each table of commands.
SIZES = {"queries": (50, 500, 5000), "runs": (2, 20, 200)}


def main(arguments: list[str] | None = None) -> Rows:
    parser = options(".growth", __doc__, 1)
    for over, sizes in SIZES.items():
        parser.add_argument(f"--{over}", type=int, nargs="*", default=sizes)
    parser.add_argument("--commands", nargs="*", default=sorted({*COMMANDS["queries"], *COMMANDS["runs"]}))
    given = parser.parse_args(arguments)
    rows: Rows = []
    shapes = {
        "queries": {n: replace(_SHAPE, topics=max(n, 2), runs=2) for n in given.queries},
        "runs": {n: replace(_SHAPE, runs=max(n, 2)) for n in given.runs},
    }
    for over in (over for over in SIZES if shapes[over]):
        asked = {name: line for name, line in COMMANDS[over].items() if name in given.commands}
        rows += measured(over, asked, shapes[over], given.rounds)
    return printed("Growth (cpu in s, rss in MB)", rows)


def measured(what: str, commands: dict[str, str], shapes: dict[int, Workload], rounds: int) -> Rows:
    """A row for each command: medians of processor time and peak memory at each size, and exponents."""
    found: dict[int, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="crosscheck-growth-") as scratch:
        for size, shape in shapes.items():
            print(f"{size} {what}", file=sys.stderr)
            files = _write(Path(scratch, str(size)), shape)
            argv = {name: ours(line, files) for name, line in (commands | {"nothing": "profiles"}).items()}
            found[size] = {row["tool"]: row for row in summary(interleaved(argv, rounds), [])}
    rows: Rows = []
    for name in commands:
        row: dict[str, Any] = {"command": name, "over": what}
        sizes = [size for size in shapes if name in found[size]]
        for key in ("cpu", "rss"):
            row |= {f"{key}, {size}": found[size][name][key] for size in sizes}
            if len(sizes) > 1:
                work = [found[size][name][key] - found[size]["nothing"][key] for size in sizes[-2:]]
                before, last = (math.log(max(value, 1e-3)) for value in work)
                row[f"{key}, exponent"] = (last - before) / math.log(sizes[-1] / sizes[-2])
        rows.append(row)
    return rows


def _write(folder: Path, shape: Workload) -> dict[str, list[str]]:
    """The files of a size, by the words that stand for them."""
    qrels, runs = shape.write(folder)
    paths = list(map(str, runs))
    case = folder / "cases" / "case"
    case.mkdir(parents=True)
    (case / "qrels").symlink_to(qrels)
    for path in runs:
        (case / f"run-{path.name}").symlink_to(path)
    files = {"Q": [str(qrels)], "R": paths[:1], "S": paths[1:2], "ALL": paths, "C": [str(case.parent)]}
    means = []
    for letter, conventions in (("A", "trec_eval-9.0.8"), ("B", "gain=exponential")):
        values = crosscheck.evaluate(qrels, runs[0], ["nDCG@10"], conventions=conventions)
        (folder / letter).write_text(json.dumps(values))
        files[letter] = [str(folder / letter)]
        means.append(math.fsum(of["nDCG@10"] for of in values.values()) / len(values))
    return files | {"N": [f"nDCG@10={means[1]:.4f}"], "P": [os.devnull]}


if __name__ == "__main__":
    main()
