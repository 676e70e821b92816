"""Every native measure against the test vectors, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from crosscheck.axes.summaries import MISSING_QUERIES, MissingQueries
from crosscheck.evaluation.summarise import evaluate
from tests.measures.vectors import ODD_NAMES, TEXTS, Case, cases, measure_of

#: What the measures alone do not decide.
_LEFT_OUT = {
    "07_nan_score": "the order of NaN scores is the C library's",
    "13_all_minus1_first_topic": "pytrec_eval is undefined on a first topic with negative judgements only",
    "29_rbp_alone_v10": "rbp of trec_eval 10.0 depends on uninitialised memory",
    "30_rbp_after_ndcg_v10": "rbp of trec_eval 10.0 depends on uninitialised memory",
}
_NAMES = {
    program: [case for case in cases(program) if case.name not in _LEFT_OUT]
    for program in ("te908", "te10", "pytrec_eval_terrier_0_5_11")
}
_ALL = [case for some in _NAMES.values() for case in some]


def same(mine: float, expected: str) -> bool:
    """Equal bits, the sign of zero aside; any NaN is a NaN."""
    theirs = float(expected)
    return mine == theirs or (math.isnan(mine) and math.isnan(theirs))


def compared(case: Case) -> dict[tuple[str, str], tuple[float, str]]:
    """(topic or ``all``, printed name) -> native value and expected text."""
    rankings, conventions = case.rankings(), case.conventions()
    found: dict[tuple[str, str], tuple[float, str]] = {}
    names = dict.fromkeys(name for values in case.values.values() for name in values if name not in TEXTS)
    topics = {topic.decode("latin-1"): i for i, topic in enumerate(rankings.pairing.all_topics)}
    for name in names:
        with np.errstate(all="raise"):
            spelt = ODD_NAMES.get((case.program, name), name)
            result = evaluate(rankings, measure_of(spelt, case.flags.get("-N", 0)), conventions)
        for topic, values in case.values.items():
            if name not in values:
                continue
            if topic == "all":
                if result.mean is not None and _summary_is_a_measure(case, name):
                    found[topic, name] = (result.mean, values[name])
            elif rankings.pairing.measured[topics[topic]]:
                found[topic, name] = (float(result.values[topics[topic]]), values[name])
    return found


def _summary_is_a_measure(case: Case, name: str) -> bool:
    """With ``-c`` the command counts some things itself: lines for topics that have no ranking."""
    if case.conventions()[MISSING_QUERIES] is MissingQueries.DROPPED:
        return True
    return case.program == "te908" and name not in ("num_q", "num_rel")


@pytest.mark.parametrize("case", _ALL, ids=lambda case: f"{case.program}-{case.name}")
def test_values_are_those_of_the_program(case: Case) -> None:
    """Each value, per topic and in the summary, has the bits that the program computed."""
    found = compared(case)
    assert found, "nothing was compared"
    different = {key: pair for key, pair in found.items() if not same(*pair)}
    assert different == {}


def test_enough_was_compared() -> None:
    """The vectors hold thousands of values of both versions and of pytrec_eval, and they are looked at."""
    assert [len(_NAMES[p]) for p in _NAMES] == [40, 42, 18]
    assert sum(len(compared(case)) for case in _ALL) > 4000
