"""Shared by all tests: hypothesis settings, and real TREC data where it is at hand."""

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.cases import CORPUS
from tests.support.sampling import WHOLE, left_out

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
    """Leave out what a sample leaves out, and let the longest tests begin first."""
    left = set(left_out(items))
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = [item for item in items if item not in left]
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with real TREC collections."""
    if not CORPUS.is_dir():
        pytest.skip(f"the TREC collections ({CORPUS}) are not here")
    return CORPUS
