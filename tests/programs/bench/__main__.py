"""``python -m tests.programs.bench``: crosscheck beside its peers on generated workloads.

Every table compares what ran interleaved in this call. Times on a busy machine are worth little, their ratios
more; ``cpu`` is the most robust. Nothing here passes or fails by time.
"""

import argparse
import compileall
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import crosscheck
from tests.programs.bench.peers import available, command
from tests.programs.bench.timing import interleaved, summary
from tests.programs.bench.workloads import WORKLOADS
from tests.programs.frame import table

_TOOLS = [
    *("crosscheck", "crosscheck, 2 workers", "crosscheck trec_eval"),
    *("trec_eval", "pytrec_eval", "ir_measures", "ranx"),
]
#: The field's reference, and its usual way into Python.
_BASES = ["trec_eval", "pytrec_eval"]


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    options = _options(arguments)
    # As pip does for what it installs: compiling is no part of a tool's time.
    for package in (Path(crosscheck.__file__).parent, Path(__file__).parent):
        compileall.compile_dir(package, quiet=2)
    report: dict[str, Any] = {"crosscheck": crosscheck.__version__, "scale": options.scale}
    with tempfile.TemporaryDirectory(prefix="crosscheck-bench-") as scratch:
        folder = options.data or Path(scratch)
        for name in options.workloads:
            _files(name, folder, options, report)
        _start_up(options, report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")
        print(f"JSON is in {options.json}")
    return report


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.bench", description=__doc__)
    parser.add_argument("--workloads", nargs="*", default=["W1", "W2", "W3"], choices=sorted(WORKLOADS))
    parser.add_argument("--scale", type=float, default=0.05, help="share of the topics (1: as documented)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tools", nargs="*", default=_TOOLS, choices=_TOOLS)
    parser.add_argument("--base", nargs="*", default=_BASES, choices=_TOOLS, help="what ratios are taken to")
    parser.add_argument("--data", type=Path, help="keep the generated files in this folder")
    parser.add_argument("--json", type=Path, help="write all numbers to this file")
    return parser.parse_args(arguments)


def _files(name: str, folder: Path, options: argparse.Namespace, report: dict[str, Any]) -> None:
    """From files to per-query values, each tool in a new process."""
    workload = WORKLOADS[name].scaled(options.scale)
    qrels, runs = workload.write(folder)
    tools = [tool for tool in options.tools if available(tool)]
    commands = {tool: command(tool, str(qrels), list(map(str, runs))) for tool in tools}
    size = sum(run.stat().st_size for run in runs) / 1e6
    title = f"{name}: {len(runs)} run(s) of {workload.topics} x {workload.depth}, {size:.0f} MB"
    print(f"{title}, {options.rounds} rounds", file=sys.stderr)
    samples = interleaved(commands, options.rounds, [qrels, *runs])
    rows = summary(samples, options.base)
    checks = {repr(s[0].check) for s in samples.values() if s and s[0].check is not None}
    report[name] = {"title": title, "rows": rows, "different results": max(0, len(checks) - 1)}
    print(table(title + " (wall, cpu and inside in s, rss in MB)", rows))


def _start_up(options: argparse.Namespace, report: dict[str, Any]) -> None:
    python = sys.executable
    commands = {
        "python -c pass": [python, "-c", "pass"],
        "python -c 'import crosscheck'": [python, "-c", "import crosscheck"],
        "crosscheck --help": [python, "-m", "crosscheck", "--help"],
        "python -c 'import numpy'": [python, "-c", "import numpy"],
    }
    rows = summary(interleaved(commands, max(3, options.rounds)), ["python -c pass"])
    report["start-up"] = rows
    print(table("Start-up", rows))


if __name__ == "__main__":
    main()
