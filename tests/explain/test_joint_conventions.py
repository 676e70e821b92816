"""All measures of one tool together: the explanation that holds for most of them, then the rest."""

from types import SimpleNamespace
from typing import Any

import pytest

from crosscheck.backends.native import native_values
from crosscheck.compare import align
from crosscheck.conventions import AxisValue
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.search import Account, Axes, identify, joint_conventions
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from tests.explain.test_diagnose import BASE, deep, explanations, told
from tests.explain.test_search import large
from tests.support.kept import Kept, shown

MEASURES = ["P@10", "R@10", "AP", "RR", "nDCG", "nDCG@10", "Rprec", "bpref"]


def account(rankings: Rankings, name: str, changes: dict[str, AxisValue]) -> Account:
    measure = parse_measure(name)
    values = native_values(rankings, measure, BASE.with_changes(**changes), "tool")
    diagnosed = told(rankings, measure, values)
    evidence = Evidence(Recomputer(rankings, measure, BASE), align(values, rankings.pairing.all_topics))
    return evidence, explanations(diagnosed) if diagnosed else []


def joint(rankings: Rankings, changes: dict[str, dict[str, AxisValue]]) -> dict[str, object]:
    """The conventions of some measures' values together, and the measures that they do not give."""
    accounts = {name: account(rankings, name, of) for name, of in changes.items()}
    found = joint_conventions([*accounts.values()])
    rest = [name for name, (evidence, _) in accounts.items() if not evidence.holds(evidence.under(found))]
    return {"joint": found, "rest": rest}


def test_means_together_single_out_the_conventions():
    """A single mean of three digits is met by several sets; all means of a tool are met by its own. A measure
    that follows others is not bent to these, and a mean that nothing gives has none."""
    rankings = large(40, 60)
    changed = BASE.with_changes(gain="exponential", relevance_level=2)
    summary = []
    for name in MEASURES:
        situation = Recomputer(rankings, parse_measure(name), BASE)
        mean = situation.evaluated(BASE if name == "AP" else changed).mean
        assert mean is not None
        summary.append((situation, MeasureValues({}, round(mean, 3), "tool", 3)))
    summary.append((summary[0][0], MeasureValues({}, 700.0, "tool", 3)))
    *found, impossible = identify(summary)
    assert impossible is None
    for (situation, values), conventions in zip(summary, found, strict=False):
        assert conventions is not None
        recomputed = situation.evaluated(conventions).mean
        assert recomputed == pytest.approx(values.mean, abs=0.0005000001)
    assert dict(zip(MEASURES, found, strict=True)) == {
        **dict.fromkeys(MEASURES, BASE.with_changes(relevance_level=2)),
        **dict.fromkeys(("nDCG", "nDCG@10"), BASE.with_changes(gain="exponential")),
        "AP": BASE,
    }


def measure(explanations: list[Axes], *holding: Axes) -> Account:
    """A measure with these explanations, whose values only these sets of axes give."""
    evidence: Any = SimpleNamespace(under=dict, holds=holding.__contains__)
    return evidence, explanations


#: Two measures have one tie rule, and one another: no set with the other rule is made of both.
ONE: Axes = {"ties": "docid-asc", "gain": "binary"}
OTHER: Axes = {"ties": "input", "depth": 5}
BOTH: Axes = ONE | OTHER
PLAIN: Axes = {"gain": "binary"}
REST = [measure([OTHER], OTHER, BOTH), measure([], BOTH), measure([], BOTH)]
KEPT = Kept(__file__, TypeError, ValueError, within=(globals(), {"deep": deep}), show=shown)


@KEPT.each()
def test_measures_together_single_out_the_conventions(given):
    """Choices that single measures leave open (universe or ideal list) are decided by all of them
    together."""
    KEPT.holds(given)
