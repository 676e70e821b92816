"""Minimal cases of further values of the axes, beside those that stand for a label."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tests.targets import labels
from tests.targets.cases.spec import CaseSpec, Expect, Recorded, rows
from tests.targets.labels import Metric, table
from tests.targets.plain import Row


def value_case(
    name: str,
    description: str,
    judged: Mapping[str, int],
    lines: list[Row],
    label: str,
    also: tuple[Expect, ...] = (),
    **metrics: Metric,
) -> CaseSpec:
    """One topic, and a recorded file that differs on every measure for one label."""
    measures = tuple(re.sub(r"_(?=\d)", "@", metric) for metric in metrics)
    return CaseSpec(
        f"value-{name}",
        description,
        {"1": judged},
        {"run.txt": {"1": lines}},
        measures,
        recorded={"recorded.tool.json": Recorded(table(**metrics))},
        expect=(*(Expect("recorded:recorded.tool.json", m, (label,), description) for m in measures), *also),
    )


def _tied(docs: str, *scores: str) -> list[Row]:
    return [
        Row(doc, rank, score) for rank, (doc, score) in enumerate(zip(docs.split(), scores, strict=True), 1)
    ]


CASES = (
    value_case(
        "ties-average",
        "the mean over all orders of three tied documents",
        {"d1": 2, "d2": 0, "d3": 0, "d4": 1},
        _tied("d4 d1 d2 d3", "2.0", "1.0", "1.0", "1.0"),
        "tie-breaking",
        also=(Expect("hf-evaluate", "nDCG@5", ("tie-breaking",), "trectools' nDCG keeps input order"),),
        AP=labels.ap_over_all_orders,
        nDCG_5=labels.ndcg_over_all_orders,
    ),
    value_case(
        "ties-average-rr",
        "the mean reciprocal rank over all orders of three tied documents",
        {"d1": 1, "d2": 0, "d3": 0},
        _tied("d1 d2 d3", "1.0", "1.0", "1.0"),
        "tie-breaking",
        RR=labels.rr_over_all_orders,
    ),
    value_case(
        "ties-group-end",
        "precision behind a group of three tied documents, as in scikit-learn",
        {"d1": 0, "d2": 1, "d3": 1, "d4": 0},
        _tied("d4 d1 d2 d3", "2.0", "1.0", "1.0", "1.0"),
        "tie-breaking",
        AP=labels.ap_behind_groups,
    ),
    value_case(
        "ties-quicksort",
        "sixteen tied documents, shuffled by numba's quicksort as in ranx; fifteen would keep their order",
        {"d03": 2, "d05": 0, "d08": 1, "d11": 1, "d15": 1},
        _tied("d07 d02 d12 d05 d15 d09 d01 d11 d04 d14 d08 d16 d03 d10 d06 d13", *["1.0"] * 16),
        "tie-breaking",
        also=(Expect("hf-evaluate", "nDCG@5", ("tie-breaking",), "trectools' nDCG keeps input order"),),
        AP=labels.ap_of_sixteen_tied,
        nDCG_5=labels.ndcg_of_sixteen_tied,
    ),
    value_case(
        "bpref-nan",
        "NaN where no document is judged nonrelevant, as in ranx",
        {"d1": 1, "d2": 1},
        rows("d1 d2"),
        "bpref-form",
        also=(Expect("hf-evaluate", "bpref", ("bpref-form",), "trectools counts 0 there"),),
        bpref=labels.bpref_nan_without_nonrelevant,
    ),
    value_case(
        "negatives-relevant",
        "a retrieved document with a negative level adds to bpref, as in trectools",
        {"d1": 1, "d2": -1, "d3": 0},
        rows("x1 d2 d1 d3"),
        "negative-relevance",
        also=(Expect("hf-evaluate", "bpref", ("negative-relevance",), "this is trectools' bpref"),),
        bpref=labels.bpref_negatives_relevant,
    ),
    value_case(
        "unjudged-relevant",
        "a document that nobody judged counts as relevant",
        {"d1": 1, "d2": 0},
        rows("d2 d3 d1"),
        "unjudged-documents",
        RR=labels.rr_unjudged_relevant,
    ),
    value_case(
        "precision-judged",
        "precision over the judged documents among the first 5",
        {"d1": 1, "d2": 0, "d3": 0},
        rows("d1 x1 d2 x2 d3"),
        "precision-denominator",
        P_5=labels.precision_over_judged,
    ),
    value_case(
        "discount-rank",
        "gains divided by the rank",
        {"d1": 0, "d2": 1, "d3": 2},
        rows("d1 d2 d3"),
        "discount",
        nDCG_5=labels.ndcg_over_rank,
    ),
)
