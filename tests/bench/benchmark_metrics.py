"""Time of ``MetricsCalculator.calculate_all`` per query: ``python -m tests.bench.benchmark_metrics``.

The specification asks for less than 1 ms per query. This prints the time; it passes or fails nothing.
"""

from __future__ import annotations

import random
import statistics
import time

from crosscheck.benchmark_metrics import MetricsCalculator

_RETRIEVED = (10, 100, 1000)
_QUERIES = 500


def main() -> None:
    """Print median and slowest time for lists of several lengths."""
    print("documents retrieved  median ms  slowest ms")
    for retrieved in _RETRIEVED:
        times = _times(retrieved)
        print(f"{retrieved:19,}  {statistics.median(times):9.4f}  {max(times):10.4f}")


def _times(retrieved: int) -> list[float]:
    """Milliseconds of each of many calls on lists of one length, a tenth of it relevant."""
    chance = random.Random(0)
    times = []
    for _ in range(_QUERIES):
        docnos = [f"doc{number}" for number in range(2 * retrieved)]
        chance.shuffle(docnos)
        ranking, relevant = docnos[:retrieved], set(chance.sample(docnos, max(1, retrieved // 10)))
        start = time.perf_counter()
        MetricsCalculator.calculate_all(ranking, relevant)
        times.append(1000 * (time.perf_counter() - start))
    return times


if __name__ == "__main__":
    main()
