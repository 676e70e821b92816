"""Samples of what the programs ``tests.programs.real`` try on realistic runs."""

import pytest

from crosscheck.names import parse_measures
from tests.programs.real.planted import invented, planted, settings, told
from tests.programs.real.runs import MADE, parts
from tests.programs.real.tools import learned, wrong
from tests.support.sampling import WHOLE


@pytest.fixture(scope="module")
def runs():
    """Made runs, and where they are at hand parts of real ones."""
    real = list(parts("trec8-adhoc", "juristcu", "dbpedia-tti"))
    return [*parts(*MADE), *real[::8]]


def test_planted_sets_are_proved_or_listed(runs):
    """Of values under one to three axes, none is unexplained and none proved as something else; some are
    proved."""
    found = [planted(name, rankings, seed) for name, rankings in runs for seed in range(3 if WHOLE else 2)]
    assert [wrong for _, wrong in found if wrong] == []
    assert [strength for strength, _ in found].count("proved") >= 3


#: Settings that are always tried, beside a sample of all.
ALWAYS = ["exact_level=1", "depth=5", "unjudged=level-3", "relevance_level=3", "depth=5,exact_level=2"]


@pytest.mark.parametrize(
    "spec", [*ALWAYS, *(pytest.param(spec, marks=pytest.mark.one_in(13)) for spec in settings())]
)
def test_every_profile_and_every_value_of_an_axis_is_explained(spec):
    """Or it is one value for every query, which is said; ``real.planted`` tries real runs and pairs."""
    for _, rankings in parts("made-shallow"):
        assert told(rankings, spec, ("nDCG@10", "AP", "bpref", "ERR@5"))[1] == ""


def test_nothing_that_was_invented_is_proved(runs):
    """Numbers of other queries, of other measures, any numbers, constants."""
    found = [invented(name, rankings, seed) for name, rankings in runs for seed in range(2 if WHOLE else 1)]
    assert [wrong for _, wrong in found if wrong] == []


def test_installed_tools_print_what_is_predicted():
    """Some of them, and the learning-to-rank libraries; ``real.tools`` calls all on real runs."""
    for _, rankings in parts("made-shallow"):
        found = [*learned(rankings)]
        for backend in ("pytrec_eval", "sklearn", "trectools"):
            found += wrong(rankings, backend, parse_measures(["AP,nDCG@10,RR,R@10"]))
        assert len(found) > 10
        assert [line for line, right in found if not right] == []
