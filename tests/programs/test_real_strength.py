"""Proofs on realistic runs: each is of a change that was planted there, none of one that was invented.

Samples of what ``python -m tests.programs.real.planted`` and ``python -m tests.programs.real.invented`` try.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from crosscheck.evaluation.rankings import Rankings
from tests.programs.real.invented import invented
from tests.programs.real.planted import planted
from tests.programs.real.runs import MADE, parts


@pytest.fixture(scope="module")
def runs() -> Iterable[tuple[str, Rankings]]:
    """Made runs, and where they are at hand parts of real ones."""
    real = list(parts("trec8-adhoc", "juristcu", "dbpedia-tti"))
    return [*parts(*MADE), *real[::8]]


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
