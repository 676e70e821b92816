"""Shared by all tests: hypothesis settings, and real TREC data where it is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples every time: a failure in CI must be a failure at home.
settings.register_profile(
    "crosscheck", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("crosscheck")

_CORPUS = Path(__file__).parents[2] / "shared" / "corpus"


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Folder with real TREC collections; they are other people's data and not part of this repository."""
    if not _CORPUS.is_dir():
        pytest.skip("the TREC collections (../shared/corpus) are not here")
    return _CORPUS
