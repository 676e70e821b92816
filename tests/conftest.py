"""Shared by all tests: hypothesis settings, and real TREC data where it is at hand."""

import gc
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.cases import CORPUS
from tests.support.sampling import WHOLE

# Where an example fails, the lines that differ are shown.
pytest.register_assert_rewrite("tests.support.kept")
# The same examples every time: a failure in CI must be a failure at home.
settings.register_profile(
    "crosscheck",
    derandomize=True,
    deadline=None,
    max_examples=200 if WHOLE else 50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("crosscheck")
# A shell starts programs in the background with SIGINT ignored, and those under test would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that are marked ``whole``, and all but every n-th of the cases that are marked
    ``one_in(n)``; let the longest tests begin first."""
    number: Counter[str] = Counter()
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        out = item.get_closest_marker("whole") is not None
        if not out and (mark := item.get_closest_marker("one_in")):
            test = item.nodeid.partition("[")[0]
            out = number[test] % mark.args[0] > 0
            number[test] += 1
        (left if out and not WHOLE else kept).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = sorted(kept, key=lambda item: item.get_closest_marker("first") is None)


def pytest_collection_finish() -> None:
    """Collect garbage seldom, and never look through all tests and packages: a tenth of the time."""
    gc.freeze()
    gc.set_threshold(50_000)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with real TREC collections."""
    if not CORPUS.is_dir():
        pytest.skip(f"the TREC collections ({CORPUS}) are not here")
    return CORPUS
