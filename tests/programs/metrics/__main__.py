"""``python -m tests.programs.metrics``: audits all metrics and says which verdicts are wrong."""

import argparse
import gc
import sys
from functools import partial

from tests.programs.frame import Case, main
from tests.programs.metrics.registry import METRICS


def _verdict(number: int, seed: int) -> tuple[str, str]:
    """The verdict on a metric, and what is wrong with the audit; by its number, which can be sent."""
    audited = METRICS[number].audited(seed)
    gc.collect()  # audits leave large cycles behind, which add up to gigabytes
    return audited.verdict, "; ".join(METRICS[number].wrong(audited))


def cases(given: argparse.Namespace) -> list[Case]:
    return [Case(m.kind, str(m), partial(_verdict, n, given.seed)) for n, m in enumerate(METRICS)]


if __name__ == "__main__":
    sys.exit(main("tests.programs.metrics", __doc__, cases))
