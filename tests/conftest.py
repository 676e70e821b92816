"""Shared by all tests: hypothesis settings, and real TREC data where it is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.cases import CORPUS

# The same examples every time: a failure in CI must be a failure at home.
settings.register_profile(
    "crosscheck", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("crosscheck")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with real TREC collections."""
    if not CORPUS.is_dir():
        pytest.skip(f"the TREC collections ({CORPUS}) are not here")
    return CORPUS
