"""Tie rules that a measure refuses: the searches do not try them and do not crash."""

import math

import numpy as np
import pytest

from crosscheck.auditing.metric import Predictions
from crosscheck.axes.ties import TIES
from crosscheck.backends import native
from crosscheck.conventions import Conventions
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.inputs.realistic import fresh_probes
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from tests.explain.test_diagnose import deep, explained


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["IPrec@0.5", "infAP", "AP@3", "gm_map", "alpha_nDCG@5"])
@pytest.mark.parametrize("base", ["", "depth=4", "missing_queries=dropped-without-hits"])
def test_values_of_nothing_known_are_searched_without_a_crash(name, base):
    """Combinations of axes are tried, and those in which a tie rule means nothing are left out."""
    rankings, measure = deep(6, ties=True), parse_measure(name)
    under = Conventions(**dict([base.split("=")]) if base else {})
    values = {topic: 0.1234 + i / 100 for i, topic in enumerate(rankings.pairing.all_topics)}
    diagnosed = explained(
        rankings, measure, MeasureValues(values, float(np.mean([*values.values()])), "tool"), under
    )
    assert diagnosed.diagnosis.causes[-1] in ("unexplained", "tie-breaking")


def test_a_refused_rule_is_no_option():
    """Beside a depth, unjudged documents removed have no expected value; over IPrec there is none at all."""
    rankings = deep(6, ties=True)
    for name, base, missing in (
        ("IPrec@0.5", Conventions(), {"average", "group-end"}),
        ("infAP", Conventions(), {"best", "worst", "group-end"}),
        ("AP@3", Conventions(), {"group-end"}),
        ("AP", Conventions(), set()),
        ("AP", Conventions(depth=4, unjudged="removed"), {"average", "best", "worst", "group-end"}),
    ):
        options = TIES.options(Recomputer(rankings, parse_measure(name), base))
        assert {"best", "worst", "average", "group-end"} - set(map(str, options)) == missing, name


def test_the_native_backend_lacks_what_it_refuses():
    """In a comparison such a measure is unsupported, as one of another tool."""
    averaging = native.Native("ties=average")
    assert [averaging.supports(parse_measure(name)) for name in ("bpref", "IPrec@0.5")] == [True, False]


def test_an_audit_expects_nothing_of_a_refused_rule():
    """Such a set predicts no experiment, not even none at all, while the same rule alone does."""
    pool = Predictions(fresh_probes(0, 5, few=True)[:5], parse_measure("AP@5"))
    possible, refused = (Conventions(ties="average", unjudged="removed", depth=d) for d in (None, 3))
    assert (pool.codes(possible) > -math.inf).any()
    assert (pool.codes(refused) == -math.inf).all()
