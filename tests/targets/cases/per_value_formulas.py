"""Minimal cases of further values of the axes: formulas."""

from __future__ import annotations

from math import log

from tests.targets import values
from tests.targets.cases.per_value import one_topic, values_case
from tests.targets.cases.spec import Expect, rows
from tests.targets.rules import table

#: 1 / (R * rank) is below 0.00001 from here on, where both are this number.
_DEEP = 317

CASES = (
    one_topic(
        "gain-binary",
        "gain",
        "every relevant document gains 1",
        {"d1": 1, "d2": 3},
        rows("d1 d2"),
        "nDCG@5",
        {"tool": ("gain=binary", values.ndcg_binary)},
    ),
    one_topic(
        "discount",
        "discount",
        "gains divided by the rank, by its natural logarithm, or by nothing",
        {"d1": 0, "d2": 1, "d3": 2},
        rows("d1 d2 d3"),
        "nDCG@5",
        {
            "ln": ("discount=ln-jarvelin", values.ndcg_discounted(lambda rank: log(rank) if rank > 1 else 1)),
            "none": ("discount=none", values.ndcg_discounted(lambda rank: 1)),
            "rank": ("discount=rank", values.ndcg_discounted(lambda rank: rank)),
        },
    ),
    one_topic(
        "discount-dcg",
        "discount",
        "DCG with the natural logarithm of rank + 1, which no nDCG can show",
        {"d1": 0, "d2": 1, "d3": 2},
        rows("d1 d2 d3"),
        "DCG",
        {"tool": ("discount=ln(i+1)", values.dcg_natural_logarithm)},
        reference="native:trec_eval-10",
    ),
    one_topic(
        "ideal",
        "ideal-ranking",
        "one of three relevant documents was retrieved: ideal lists of three more kinds",
        {"d1": 1, "d2": 1, "d3": 2},
        rows("d1"),
        "nDCG@2",
        {
            "hits": ("ideal=hits-returned", values.ndcg_at_2(lambda grades, found: grades[:found])),
            "max": ("ideal=max-grade", values.ndcg_at_2(lambda grades, found: grades[:1] * 2)),
            "whole": ("ideal=untruncated", values.ndcg_at_2(lambda grades, found: grades)),
        },
    ),
    one_topic(
        "ideal-at-k",
        "ideal-ranking",
        "three relevant documents were retrieved, and the ideal list is made of the first two",
        {"d1": 1, "d2": 2, "d3": 3},
        rows("d1 d2 d3"),
        "nDCG@2",
        {"tool": ("ideal=retrieved-at-k", values.ndcg_of_its_own_first_two)},
    ),
    one_topic(
        "ideal-returned",
        "ideal-ranking",
        "three documents were returned for nDCG@5: the ideal list has the highest level for each of them",
        {"d1": 1, "d2": 2},
        rows("x1 d1 x2"),
        "nDCG@5",
        {"tool": ("ideal=max-grade-returned", values.ndcg_if_all_returned_were_best)},
    ),
    one_topic(
        "precision-judged",
        "precision-denominator",
        "precision over the judged documents among the first 5",
        {"d1": 1, "d2": 0, "d3": 0},
        rows("d1 x1 d2 x2 d3"),
        "P@5",
        {"tool": ("precision_denominator=judged", values.precision_over_judged)},
    ),
    one_topic(
        "recall-retrieved",
        "recall-denominator",
        "one of two relevant documents was retrieved, and recall knows no other",
        {"d1": 1, "d2": 1},
        rows("d1"),
        "R@5",
        {"tool": ("recall_denominator=retrieved-R", values.recall_over_found)},
    ),
    one_topic(
        "ap-min",
        "ap-denominator",
        "average precision at 2 with three relevant documents, divided by 2",
        {"d1": 1, "d2": 0, "d3": 1, "d4": 1},
        rows("d1 d2"),
        "AP@2",
        {"tool": ("ap_denominator=min(R,k)", values.ap_at_2_over_min)},
    ),
    one_topic(
        "bpref",
        "bpref-form",
        "one document judged nonrelevant above two relevant ones",
        {"d1": 0, "d2": 1, "d3": 1},
        rows("d1 d2 d3"),
        "bpref",
        {
            "10": ("bpref_form=bpref-10", values.bpref_10),
            "over-R": ("bpref_form=over-R", values.bpref_over_r),
        },
    ),
    one_topic(
        "bpref-nan",
        "bpref-form",
        "NaN where no document is judged nonrelevant, as in ranx",
        {"d1": 1, "d2": 1},
        rows("d1 d2"),
        "bpref",
        {"tool": ("bpref_form=nan-when-no-nonrelevant", values.bpref_nan_without_nonrelevant)},
        also=(Expect("hf-evaluate", "bpref", ("bpref-form",), "trectools counts 0 there"),),
    ),
    one_topic(
        "recall-points-exact",
        "recall-points",
        "three relevant documents: recall 0.7 asks for all of them, for trec_eval 9 two are enough",
        {"d1": 1, "d2": 1, "d3": 0, "d4": 1},
        rows("d1 d2 d3 d4"),
        "11pt_avg",
        {"tool": ("recall_points=exact", values.eleven_points_exact)},
    ),
    values_case(
        "geometric-floor",
        "geometric-floor",
        "average precision below 0.00001, and of 0: only 0 is replaced",
        {"1": {f"r{i}": 1 for i in range(1, _DEEP + 1)}, "2": {"r1": 1, "x1": 0}},
        {"1": rows([*(f"x{i}" for i in range(1, _DEEP)), "r1"]), "2": rows("x1")},
        {"tool": ("geometric_floor=replace-zero", table(gm_map=values.log_ap_zero_replaced))},
        measures=("gm_map",),
    ),
)
