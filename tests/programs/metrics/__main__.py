"""``python -m tests.programs.metrics``: audits all metrics and says which verdicts are wrong."""

import argparse
import sys
from functools import partial

from tests.programs.frame import Case, main
from tests.programs.metrics.registry import METRICS, verdict


def cases(given: argparse.Namespace) -> list[Case]:
    return [Case(m.kind, str(m), partial(verdict, n, given.seed)) for n, m in enumerate(METRICS)]


if __name__ == "__main__":
    sys.exit(main("tests.programs.metrics", __doc__, cases))
