"""Proofs on real runs: each is of a change that was planted there, none of one that was invented.

Samples of what ``python -m tests.real.planted`` and ``python -m tests.real.invented`` try.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from crosscheck.evaluation.rankings import Rankings
from tests.real.invented import invented
from tests.real.planted import planted
from tests.real.runs import parts


@pytest.fixture(scope="module")
def runs(corpus: Path) -> Iterable[tuple[str, Rankings]]:
    """One part each of a few collections."""
    found = list(parts(corpus, "trec8-adhoc", "juristcu", "dbpedia-tti"))
    if not found:
        pytest.skip("these TREC collections are not here")
    return [found[i] for i in (0, 3, 8) if i < len(found)]


def test_planted_sets_are_proved_or_listed(runs: Iterable[tuple[str, Rankings]]) -> None:
    """Of values under one to three axes, none is unexplained and none proved as something else; some are
    proved."""
    found = [one for name, rankings in runs for one in planted(name, rankings, 4)]
    assert [one for one in found if one.wrong] == []
    assert sum(one.found.strength == "proved" for one in found) >= 3


def test_nothing_that_was_invented_is_proved(runs: Iterable[tuple[str, Rankings]]) -> None:
    """Numbers of other queries, of other measures, any numbers, constants."""
    found = [one for name, rankings in runs for one in invented(name, rankings, 1)]
    assert [one for one in found if one.wrong] == []
