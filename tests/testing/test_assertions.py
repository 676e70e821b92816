"""Claims about assert_agrees and assert_same that need no project of their own."""

from __future__ import annotations

import math
from typing import Any

import pytest

from crosscheck.auditing.explaining import needed
from crosscheck.auditing.metric import Asked, native_answer
from crosscheck.conventions import Conventions, conventions
from crosscheck.errors import UsageError
from crosscheck.inputs.battery import battery
from crosscheck.names import parse_measure
from crosscheck.native import evaluate
from crosscheck.testing import assert_agrees, assert_same
from crosscheck.testing.assertions import Allowed
from tests.programs.fixtures import VALUES_OF_AXES, rows

QRELS = {f"{q}": {"a": 1, "b": 2 + q % 2, "c": 0} for q in range(7)}
RUN = {q: {"a": 3.0, "c": 2.5, "b": 2.0} for q in QRELS}


def values(conventions: str) -> dict[str, float]:
    found = evaluate(QRELS, RUN, ["nDCG@3"], conventions=conventions)
    return {q: row["nDCG@3"] for q, row in found.items()}


def test_values_that_differ_are_named_with_their_cause():
    """Each query with both values, and the line that allows it, which then passes."""
    with pytest.raises(AssertionError) as failed:
        assert_same(QRELS, RUN, values("gain=exponential"), "nDCG@3")
    both = ["0.688529 instead of 0.760188", "0.589705 instead of 0.688529"]
    assert str(failed.value).splitlines() == [
        "7 of 7 values of nDCG@3 differ. Cause (proved): gain.",
        *(f"    query '{query}': {both[query % 2]}" for query in range(5)),
        "    2 more",
        "the gain is 2^level - 1 instead of the relevance level.",
        "If that is meant:",
        "    assert_same(qrels, run, values, 'nDCG@3', allow={'gain': 'exponential'})",
    ]
    assert_same(QRELS, RUN, values("gain=exponential"), "nDCG@3", allow={"gain": "exponential"})
    with pytest.raises(AssertionError, match="do not need allow"):
        assert_same(QRELS, RUN, values("trec_eval-9.0.8"), "nDCG@3", allow={"ties": "docid-asc"})


def test_a_missing_value_differs():
    """A query without a value is no agreement."""
    given = values("trec_eval-9.0.8")
    assert_same(QRELS, RUN, given, "nDCG@3")
    del given["3"]
    told = "^1 of 7 values .*: unexplained.\n    query '3': no value instead of 0.688529\nno value for 1 q"
    with pytest.raises(AssertionError, match=told):
        assert_same(QRELS, RUN, given, "nDCG@3")


def test_an_allowance_that_cannot_matter_fails():
    """Gain does not touch precision, and trec_eval's own value or profile allows nothing."""
    rows: list[tuple[Allowed, str]] = [
        ({"gain": "exponential"}, "gain"),
        ({"relevance_level": 1}, "relevance_level"),
        ("profile:trec_eval-9.0.8", "profile:trec_eval-9.0.8"),
    ]
    for allow, named in rows:
        with pytest.raises(AssertionError, match=f"can differ by {named}: delete it from allow"):
            assert_agrees("native", "P@5", allow=allow)


def test_an_allowed_depth_that_the_metric_does_not_have_fails():
    """With the cause, and the line without it, which names the backend as the test does."""
    wanted = r"nDCG@10 as trec_eval-9.0.8 with gain=exponential, depth=3 does. Cause \(proved\): depth.\n"
    with pytest.raises(AssertionError, match=f"^native:gain=exponential does not compute {wanted}") as failed:
        assert_agrees("native:gain=exponential", "nDCG@10", allow={"gain": "exponential", "depth": 3})
    pasted = "assert_agrees('native:gain=exponential', 'nDCG@10', allow={'gain': 'exponential'})"
    assert str(failed.value).endswith(pasted)


def test_a_metric_that_gives_one_number_is_not_checked():
    """Which is no deviation; and neither is one for which there was no time."""
    with pytest.raises(AssertionError, match=r"> cannot be checked as P@5: the function gave 0\.5 for every"):
        assert_agrees(lambda gains, k: 0.5, "P@5")
    with pytest.raises(AssertionError, match="_results could not be called as P@5: the time limit of 0 s"):
        assert_agrees(ndcg_of_results, "P@5", budget=1e-9)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        *(({"metric": metric}, "is no backend") for metric in (3, None, ["native"])),
        *(({"allow": allow}, "names no convention") for allow in ({}, "sklearn", 3)),
        ({"allow": "profile:sklaern"}, "did you mean sklearn"),
        ({"allow": {"gian": "exponential"}}, "did you mean gain"),
        *(({"values": given}, "values must be a dict") for given in (0.5, [0.5], "0.5")),
        *(({"values": given}, "values must map queries to numbers") for given in ({"1": "x"}, {"1": None})),
    ],
)
def test_what_is_no_metric_no_allowance_and_no_table_of_values_is_refused(wrong, said):
    """With a sentence, before anything is audited."""
    call: Any = assert_same if "values" in wrong else assert_agrees
    usual = {"qrels": QRELS, "run": RUN} if "values" in wrong else {"metric": "native"}
    with pytest.raises(UsageError, match=said):
        call(**{**usual, "measure": "P@5", **wrong})


#: Changes that no answers on the battery show: audits name the first two in other ways, and find no case of
#: the others on these measures.
_NOT_SHOWN = {"duplicates", "special_scores=nan-keeps-place", "result_precision"}
_NOT_SHOWN |= {"geometric_floor=replace-zero", "ideal=hits-returned"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("case", "setting"),
    [pytest.param(case, setting, id=setting) for case, _, setting in rows(VALUES_OF_AXES)],
)
def test_every_value_of_every_axis_is_seen_to_be_needed(case, setting):
    """An allowance of one value, for a metric that has it and differs in nothing else."""
    measure, base = parse_measure(case.measures[0]), conventions(case.reference[7:] or "trec_eval-9.0.8")
    (change,) = conventions(setting).changes_from(Conventions()).items()
    follows = base.with_changes(**dict([change]))
    probes = battery(0, measure, together=True, means=True)
    asked = [Asked(p, native_answer(p.qrels, p.run, measure, follows), measure) for p in probes]
    shown = _NOT_SHOWN.isdisjoint({change[0], setting})
    assert (needed(asked, follows, base, 1e-9) == {change[0]}) is shown


def rr_of_hits(binary):  # type: ignore[no-untyped-def]
    return next((1 / rank for rank, hit in enumerate(binary, 1) if hit), None)


def rr_or_nan(binary):  # type: ignore[no-untyped-def]
    return float("nan") if (value := rr_of_hits(binary)) is None else value


def ndcg_of_results(gains, k):  # type: ignore[no-untyped-def]
    def dcg(levels):  # type: ignore[no-untyped-def]
        return sum(level / math.log2(rank + 1) for rank, level in enumerate(levels[:k], 1))

    return dcg(gains) / (dcg(sorted(gains, reverse=True)) or 1.0)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("metric", "measure", "given"),
    [
        (ndcg_of_results, "nDCG@5", {"call": "f(gains, k)", "seed": 1}),
        (rr_or_nan, "RR", {}),
        # It is handed lists in rank order, so it has none of the profile's rules for ties and scores.
        (ndcg_of_results, "nDCG@5", {"allow": "profile:ranx", "timeout": 30.0}),
        ("native:averaging=median", "P@5", {}),
        ("native:query_set=run", "RR", {}),
    ],
)
def test_the_line_that_is_printed_goes_green(metric, measure, given):
    """It holds every argument of the call that failed."""
    with pytest.raises(AssertionError, match="If that is meant:") as failed:
        assert_agrees(metric, measure, **given)  # type: ignore[arg-type]
    pasted = str(failed.value).splitlines()[-1].strip()
    for name, value in given.items():
        assert name == "allow" or f", {name}={value!r}" in pasted
    eval(pasted, globals())


def test_no_line_is_printed_where_no_allowance_is_enough():
    """A metric with another gain that empties its input as well."""

    def wasteful(gains: list[int], k: int) -> float:
        level = sum(map(bool, gains[:k])) / k * 100
        gains.clear()
        return level

    with pytest.raises(AssertionError, match="Nothing can allow changes-input"):
        assert_agrees(wasteful, "P@5")
