"""Samples of what the programs ``tests.programs.real`` try on realistic runs."""

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
    found = [planted(name, rankings, seed) for name, rankings in runs for seed in range(3)]
    assert [wrong for _, wrong in found if wrong] == []
    assert [strength for strength, _ in found].count("proved") >= 3


def test_nothing_that_was_invented_is_proved(runs: Iterable[tuple[str, Rankings]]) -> None:
    """Numbers of other queries, of other measures, any numbers, constants."""
    found = [invented(name, rankings, seed) for name, rankings in runs for seed in range(2)]
    assert [wrong for _, wrong in found if wrong] == []
