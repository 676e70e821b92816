"""Minimal cases of further values of the axes: formulas that are rare, but met."""

from __future__ import annotations

from math import log, log10

from tests.targets import formulas
from tests.targets.cases.per_label_values import SEVERAL_R
from tests.targets.cases.per_value import one_topic, values_case
from tests.targets.cases.spec import Expect, rows
from tests.targets.plain import Row
from tests.targets.rules import average_precision, precision, table

#: The logarithm to base b from rank b on.
_JARVELIN_3 = formulas.ndcg_of_levels(discount=lambda rank: log(rank, 3) if rank >= 3 else 1.0)
_JARVELIN_10 = formulas.ndcg_of_levels(discount=lambda rank: log10(rank) if rank >= 10 else 1.0)

CASES = (
    values_case(
        "universe-appended",
        "universe",
        "two relevant documents that were not retrieved are appended with a score of 0, above a negative one",
        {"1": {"d1": 1, "d3": 1, "d4": 1, "d5": 0, "d6": 1}, "2": {"d1": 0, "d2": 1}},
        {"1": [Row("d1", 1, "2.0"), Row("x1", 2, "1.0"), Row("d3", 3, "-1.0")], "2": rows("d1")},
        {
            "tool": (
                "universe=appended",
                table(
                    AP=formulas.with_unretrieved(average_precision), P_5=formulas.with_unretrieved(precision)
                ),
            )
        },
        measures=("AP", "P@5"),
    ),
    values_case(
        "averaging-micro",
        "averaging",
        "recall of five queries with one to eight relevant documents: all that was found over all there is",
        *SEVERAL_R,
        {"tool": ("averaging=micro", formulas.recall_summed_up(5, formulas.micro_of))},
        measures=("R@5",),
    ),
    one_topic(
        "ties-docno",
        "tie-breaking",
        "seven documents with one score, sorted by docno in eight ways: each gives another average precision",
        {"a10": 1, "9": 1} | dict.fromkeys(("e100", "Dd4", "b2", "100", "a9"), 0),
        [Row(doc, i, "1.0") for i, doc in enumerate(("e100", "Dd4", "b2", "100", "a10", "a9", "9"), 1)],
        "AP",
        {
            f"{order}-{way}": (
                f"ties=docid-{order}-{way}",
                formulas.ap_with_docnos(order, descending=way == "desc"),
            )
            for order in formulas.DOCNO_KEYS
            for way in ("asc", "desc")
        },
    ),
    values_case(
        "max-grade",
        "max-grade",
        "ERR@3 of two queries with different highest levels, on the scale of each query and from 0 to 5",
        {"1": {"d1": 0, "d2": 1, "d3": 2}, "2": {"d1": 3, "d2": 1}},
        {"1": rows("d1 d2 d3"), "2": rows("d2 x1 d1")},
        {
            "query": ("max_grade=query", table(ERR_3=formulas.err_to_highest(3))),
            "5": ("max_grade=5", table(ERR_3=formulas.err_to_highest(3, 5))),
        },
        also=(Expect("ir-measures", "ERR@3", ("rounding",), "its gdeval.pl prints five decimals"),),
        measures=("ERR@3",),
    ),
    values_case(
        "rr-of",
        "rr-of",
        "several relevant documents of several levels, one of them not found",
        {"1": {"d1": 0, "d2": 1, "d3": 1, "d5": 2, "d6": 1}, "2": {"d1": 1}, "3": {"d1": 2, "d3": 3}},
        {"1": rows("d1 d2 d3 x1 d5"), "2": rows("d2 d1"), "3": rows("d1 d2 d3")},
        {
            "found": ("rr_of=every-retrieved", table(RR=formulas.rr_of_every(lambda num_rel, found: found))),
            "highest": ("rr_of=highest-level", table(RR=formulas.rr_of_highest)),
        },
        measures=("RR",),
    ),
    one_topic(
        "gain-powers",
        "gain",
        "three levels, a nonrelevant and an unjudged document: gains of 2^level, of all or above 0; squares",
        {"d1": 0, "d2": 1, "d3": 3, "d4": 2},
        rows("d1 d2 x1 d3 d4"),
        "nDCG@5",
        {
            "all": ("gain=2^level-of-all", formulas.ndcg_of_levels(5, gain=lambda level: 2.0**level)),
            "power": ("gain=2^level", formulas.ndcg_of_levels(5, gain=lambda level: level and 2.0**level)),
            "square": ("gain=level^2", formulas.ndcg_of_levels(5, gain=lambda level: level**2)),
        },
    ),
    one_topic(
        "discount-bases",
        "discount",
        "Järvelin and Kekäläinen's discount with b = 3 and b = 10, at ranks around b",
        {"d02": 1, "d03": 2, "d05": 1, "d10": 2, "d12": 3},
        rows([f"d{i:02d}" for i in range(1, 13)]),
        "nDCG",
        {"3": ("discount=jarvelin-3", _JARVELIN_3), "10": ("discount=jarvelin-10", _JARVELIN_10)},
    ),
    one_topic(
        "discount-log10",
        "discount",
        "DCG with the logarithm to base 10, which no nDCG can show",
        {"d1": 0, "d2": 1, "d3": 2},
        rows("d1 d2 d3"),
        "DCG",
        {"tool": ("discount=log10(i+1)", formulas.dcg_of_levels(discount=lambda rank: log10(rank + 1)))},
        reference="native:trec_eval-10",
    ),
    one_topic(
        "precision-min",
        "precision-denominator",
        "precision at 4 with two relevant documents, divided by 2",
        {"d1": 1, "d2": 0, "d3": 0, "d4": 1},
        rows("d2 d1 d3 x1 d4"),
        "P@4",
        {"tool": ("precision_denominator=min(k,R)", formulas.precision_over_best(4))},
    ),
    one_topic(
        "recall-k",
        "recall-denominator",
        "recall at 3 with two relevant documents, divided by 3",
        {"d1": 1, "d2": 0, "d3": 0, "d4": 1},
        rows("d2 d1 d3 d4"),
        "R@3",
        {"tool": ("recall_denominator=k", formulas.recall_over_k(3))},
    ),
    one_topic(
        "ap-k",
        "ap-denominator",
        "average precision at 4 with five relevant documents and three retrieved, divided by 4 or by 3",
        {"d1": 1, "d2": 0, "d3": 1, "d4": 1, "d5": 1, "d6": 1},
        rows("d1 d2 d3"),
        "AP@4",
        {
            "k": ("ap_denominator=k", formulas.ap_over(4, lambda num_rel, seen: 4)),
            "retrieved": ("ap_denominator=min(R,retrieved)", formulas.ap_over(4, min)),
        },
    ),
)
