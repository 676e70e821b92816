"""``python -m tests.programs.bench``: crosscheck beside its peers on generated workloads.

Every table compares what ran interleaved in this call. Times on a busy machine are worth little, their ratios
more; ``cpu`` is the most robust. Nothing here passes or fails by time.
"""

import compileall
import sys
import tempfile
from pathlib import Path

import crosscheck
from tests.programs.bench.peers import PEERS, PROGRAMS, available, command
from tests.programs.bench.timing import Rows, interleaved, options, printed, summary
from tests.programs.bench.workloads import WORKLOADS

_TOOLS = [*PEERS, *PROGRAMS]
#: The field's reference, and its usual way into Python.
_BASES = ["trec_eval", "pytrec_eval"]


def main(arguments: list[str] | None = None) -> dict[str, tuple[Rows, int]]:
    """The rows of each workload, and how many different results there were beside the first."""
    parser = options("", __doc__, 3)
    parser.add_argument("--workloads", nargs="*", default=["W1", "W2", "W3"], choices=sorted(WORKLOADS))
    parser.add_argument("--scale", type=float, default=0.05, help="share of the topics (1: as documented)")
    parser.add_argument("--tools", nargs="*", default=_TOOLS, choices=_TOOLS)
    parser.add_argument("--base", nargs="*", default=_BASES, choices=_TOOLS, help="what ratios are taken to")
    given = parser.parse_args(arguments)
    # As pip does for what it installs: compiling is no part of a tool's time.
    for package in (Path(crosscheck.__file__).parent, Path(__file__).parent):
        compileall.compile_dir(package, quiet=2)
    found = {}
    for name in given.workloads:
        workload = WORKLOADS[name].scaled(given.scale)
        with tempfile.TemporaryDirectory(prefix="crosscheck-bench-") as scratch:
            qrels, runs = workload.write(Path(scratch))
            tools = [tool for tool in given.tools if available(tool)]
            commands = {tool: command(tool, str(qrels), list(map(str, runs))) for tool in tools}
            size = sum(run.stat().st_size for run in runs) / 1e6
            title = f"{name}: {len(runs)} run(s) of {workload.topics} x {workload.depth}, {size:.0f} MB"
            print(f"{title}, {given.rounds} rounds", file=sys.stderr)
            samples = interleaved(commands, given.rounds, [qrels, *runs])
        rows = printed(title + " (wall, cpu and inside in s, rss in MB)", summary(samples, given.base))
        checks = {repr(s[0]["check"]) for s in samples.values() if s and "check" in s[0]}
        if different := max(0, len(checks) - 1):
            print(f"{different} different results: {', '.join(checks)}")
        found[name] = rows, different
    return found


if __name__ == "__main__":
    main()
