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
from tests.support.kept import Kept, shown


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


def missing(name: str, base: Conventions) -> list[str]:
    """The rules without an order that are no options."""
    options = TIES.options(Recomputer(deep(6, ties=True), parse_measure(name), base))
    return [rule for rule in ("average", "best", "worst", "group-end") if rule not in options]


KEPT = Kept(__file__, TypeError, ValueError, within=(globals(), vars(native)), show=shown)


@KEPT.each()
def test_a_refused_rule_is_no_option(given):
    KEPT.holds(given)


def test_an_audit_expects_nothing_of_a_refused_rule():
    """Such a set predicts no experiment, not even none at all, while the same rule alone does."""
    pool = Predictions(fresh_probes(0, 5, few=True)[:5], parse_measure("AP@5"))
    possible, refused = (Conventions(ties="average", unjudged="removed", depth=d) for d in (None, 3))
    assert (pool.codes(possible) > -math.inf).any()
    assert (pool.codes(refused) == -math.inf).all()
