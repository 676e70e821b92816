"""``python -m tests.programs.metrics``: audits all metrics and says which verdicts are wrong.

Fails if a verdict is wrong, or if fewer than 95 in 100 functions are called as they are written for.
"""

import gc
import sys
from functools import partial

from tests.programs.frame import Case, options, tried
from tests.programs.metrics.registry import METRICS


def _verdict(number: int, seed: int) -> tuple[str, str]:
    """The verdict on a metric, and what is wrong with the audit; by its number, which can be sent."""
    audited = METRICS[number].audited(seed)
    gc.collect()  # audits leave large cycles behind, which add up to gigabytes
    return audited.verdict, "; ".join(METRICS[number].wrong(audited))


def main() -> int:
    given = options("tests.programs.metrics", __doc__).parse_args()
    rows = tried(
        [Case(m.kind, str(m), partial(_verdict, n, given.seed)) for n, m in enumerate(METRICS)], given
    )
    miscalled = sum(row.wrong.startswith("called as") for row in rows)
    others = sum(bool(row.wrong) for row in rows) - miscalled
    return int(others > 0 or 20 * miscalled > sum(row.group == "signature" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
