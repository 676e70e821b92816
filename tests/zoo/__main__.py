"""``python -m tests.zoo``: audits every metric and says which verdicts are wrong."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tests.zoo.metrics import METRICS
from tests.zoo.running import Outcome, outcomes

_VERDICTS = ("agrees", "deviates", "uncallable", "crashed")


def _line(outcome: Outcome) -> str:
    kind = "faithful" if outcome.metric.faithful else "bug"
    causes = f" ({outcome.causes})" if outcome.causes else ""
    refuted = f"; refuted: {outcome.refuted}" if outcome.refuted else ""
    return f"wrong: {kind}: {outcome.metric}: seed {outcome.seed}: {outcome.verdict}{causes}{refuted}"


def _watched(running: Iterable[Outcome], total: int) -> Iterator[Outcome]:
    """The same outcomes, while wrong verdicts are printed and progress is told on stderr."""
    begin = time.perf_counter()
    for done, outcome in enumerate(running, 1):
        if outcome.wrong:
            print(_line(outcome), flush=True)
        seconds = time.perf_counter() - begin
        print(f"\r{done} of {total} audits, {seconds:.0f} s", end="", file=sys.stderr, flush=True)
        yield outcome
    print(file=sys.stderr)


def _table(found: Sequence[Outcome]) -> str:
    """Verdicts counted, and the time that they took."""
    lines = [f"{'':10}{'audits':>10}" + "".join(f"{verdict:>12}" for verdict in _VERDICTS)]
    for kind, faithful in (("bugs", False), ("faithful", True)):
        counted = Counter(o.verdict for o in found if o.metric.faithful is faithful)
        columns = "".join(f"{counted[verdict]:>12}" for verdict in _VERDICTS)
        lines.append(f"{kind:10}{counted.total():>10}{columns}")
    spent = sum(outcome.seconds for outcome in found)
    return "\n".join([*lines, f"{spent:.0f} s in audits, {spent / len(found):.1f} s each"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.zoo", description=__doc__)
    parser.add_argument("--seed", type=int, nargs="+", default=[0], metavar="N", help="seeds of the audits")
    parser.add_argument("--only", default="", metavar="TEXT", help="metrics whose name holds this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes")
    given = parser.parse_args()
    metrics = [metric for metric in METRICS if given.only in str(metric)]
    if not metrics:
        parser.error(f"no metric is called {given.only!r}")
    running = outcomes(metrics, given.seed, given.jobs)
    found = list(_watched(running, len(metrics) * len(given.seed)))
    print(_table(found))
    return int(any(outcome.wrong for outcome in found))


if __name__ == "__main__":
    raise SystemExit(main())
