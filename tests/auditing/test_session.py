"""Audits of metrics whose faults are known: what each one is named, and with what evidence."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import crosscheck
from crosscheck.audit_records import Audit
from crosscheck.auditing import audit
from crosscheck.backends.base import Backend, Description, Options
from crosscheck.backends.native import native_values
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.explain.search import Search
from crosscheck.harness.document import document_of
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.report import RenderOptions, render
from tests.auditing import metrics
from tests.programs.metrics.calls import CALLS, target_of
from tests.support.oracle import Oracle, Row
from tests.targets import s2

_TARGETS = Path(__file__).parents[1] / "targets"
_S2 = f"{_TARGETS / 's2.py'}:metricas"
_Judged = dict[str, dict[str, int]]
_Ranked = dict[str, dict[str, float]]


def hits_by_label(qrels_df: pd.DataFrame, run_df: pd.DataFrame, k: int) -> dict[str, float]:
    """A new column, without an index, meets rows that were sorted before."""
    judged = qrels_df[qrels_df.rel > 0]
    relevant = {*zip(judged["query"], judged.docid, strict=True)}
    rows = zip(run_df["query"], run_df.docid, strict=True)
    run_df = run_df.assign(hit=pd.Series([row in relevant for row in rows]), score=run_df.score.astype("f4"))
    best = run_df.sort_values(["score", "docid"], ascending=False).groupby("query").head(k)
    return {query: hits / k for query, hits in best.groupby("query").hit.sum().items()}


def ordered_by(
    order: Callable[[dict[str, float]], list[str]], **changes: str
) -> Callable[[_Judged, _Ranked], object]:
    """nDCG@5 of rankings in this order, with other conventions changed."""

    def metric(qrels: _Judged, run: _Ranked) -> dict[str, float]:
        ranked = {
            query: [Row(docno, i, -i) for i, docno in enumerate(order(scores))]
            for query, scores in run.items()
        }
        return Oracle(changes).evaluate(qrels, ranked, "nDCG@5")[0]

    return metric


class Printing(Backend):
    """A program that prints four decimals."""

    id, isolated, conventions = "printing", False, None

    def describe(self) -> Description:
        return Description(id=self.id, version="", engine=self.id, available=True)

    def supports(self, measure: Measure) -> bool:
        return True

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        values = native_values(Rankings(run, qrels), measures[0], Conventions(), self.id)
        printed = {topic: round(value, 4) for topic, value in values.values.items()}
        return {measures[0]: MeasureValues(printed, None, self.id, decimals=4)}


def _among_orders(found: Audit) -> bool:
    """Whether one of two orders of the tied documents of the example gives the metric's value."""
    shown = found.counterexamples[0]
    values = [
        crosscheck.evaluate(shown.qrels, shown.run, [found.measure], conventions=f"ties={rule}")
        for rule in ("docid-desc", "docid-asc")
    ]
    return shown.candidate_value in [value[shown.query or ""][found.measure] for value in values]


def _verbose(found: Audit) -> list[str]:
    """The lines of the text, with single blanks."""
    text = render(document_of(found), "text", RenderOptions(verbose=True, width=100))
    return [" ".join(line.split()) for line in text.splitlines()]


def _behaviour(name: str) -> Callable[[Audit], str]:
    return lambda found: found.behaviour[name].partition(" (")[0]  # without the place in the file


#: What is read of an audit beside its own fields.
VIEWS: dict[str, Callable[[Audit], object]] = {
    "causes": lambda a: sorted(a.causes),
    "unexplained": lambda a: "unexplained" in a.causes,
    "met": lambda a: a.fresh_inputs_met == a.fresh_inputs,
    "most met": lambda a: 0.7 < a.fresh_inputs_met / a.fresh_inputs < 1,
    "shown": lambda a: {example.cause for example in a.counterexamples},
    "lines": lambda a: sum(map(len, a.counterexamples[0].run.values())),
    "few lines": lambda a: sum(map(len, a.counterexamples[0].run.values())) <= 2,
    "says": lambda a: [example.explanation for example in a.counterexamples],
    "queries": lambda a: len(a.counterexamples[0].run),
    "example": lambda a: (a.counterexamples[0].reference_value, a.counterexamples[0].candidate_value),
    "negative level": lambda a: any(
        level < 0 for e in a.counterexamples for judged in e.qrels.values() for level in judged.values()
    ),
    "no value": lambda a: a.counterexamples[0].candidate_value is None,
    "nearest": lambda a: a.nearest_profile and (a.nearest_profile.name, a.nearest_profile.differs),
    "differs": lambda a: a.nearest_profile and a.nearest_profile.differs,
    "repeated": lambda a: [(accepted.cause, accepted.values) for accepted in a.accepts],
    "known": lambda a: a.recognised and a.recognised.formula,
    "where": lambda a: a.where and (a.where.conditions, a.where.wrong_elsewhere),
    "rr of every": lambda a: (
        {"rr_of": "every"} in [a.conventions, *(other.conventions for other in a.alternatives)]
    ),
    "bounded": lambda a: next(p.holds for p in a.properties if p.name == "bounded"),
    "no rule of ties": lambda a: any(note.startswith(_NO_RULE) for note in a.notes),
    "an order gives the example": _among_orders,
    # What it does with unusual inputs is told beside what the reference does, only where they differ.
    **{
        name: _behaviour(name)
        for name in ("empty run", "k = 0", "k past the end", "a document twice", "no relevant document")
    },
    "says of the reference": lambda a: (
        "no relevant document NaN 0.0" in _verbose(a),
        "k past the end 0.001 the same" in _verbose(a),
    ),
    "says the tolerance": lambda a: (
        "Values count as equal within 1e-06 (relative), as they are in single precision."
        in render(document_of(a), "markdown", RenderOptions())
    ),
    "refused": lambda a: re.sub(r"\d+(?! inputs)(?!\d)", "N", a.refused),
}
_OF_MEANS = ["here each query alone has the expected value, but their mean is wrong"]
_SHORT = "over the length of lists that are a little too short"
_NO_RULE = "the metric orders tied documents by no known rule: on "
_ARBITRARY: dict[str, object] = {"no rule of ties": True, "causes": ["tie-breaking"], "conventions": {}}
_AGREES: dict[str, object] = {"verdict": "agrees", "causes": []}
_UNEXPLAINED: dict[str, object] = {"verdict": "deviates", "causes": ["unexplained"]}
_PROVED: dict[str, object] = {"strength": "proved", "doubt": "", "rivals": []}

_EACH: dict[str, object] = {"repeated": [("duplicates", ["each"])], "differs": []}


def _proved(**conventions: object) -> dict[str, object]:
    return {**_PROVED, "conventions": conventions}


#: Metric, measure, call (empty to find it), and parts of its audit.
AUDITS: list[tuple[Any, str, str, dict[str, object]]] = [
    # Refusals: of ordinary input they are a cause, of what is rare they are none.
    (metrics.refuses_empty, "P@5", "", _AGREES | {
        "empty run": "raises IndexError: empty", "k = 0": "raises ZeroDivisionError: division by zero",
        "k past the end": "0.001",
    }),
    (metrics.not_one_document, "P@5", "", {"causes": ["refuses-input"], "lines": 1, "no value": True}),
    (metrics.no_negative_levels, "P@5", "", _AGREES | {
        "refused": "It gives no value on 29 inputs out of the ordinary (negative levels): "
        "ValueError: a negative level (metrics.py:N in no_negative_levels).",
    }),
    (metrics.of_judged_queries, "P@5", "", _AGREES | {
        "refused": "It gives no value on 19 inputs out of the ordinary (no results): "
        "KeyError: 'tN' (metrics.py:N in <dictcomp>).",
    }),
    # The level that is passed is no convention of the metric; the list that is passed is as the qrels stand.
    (metrics.err_of_the_level_passed, "ERR@10", "", _AGREES),
    (metrics.ndcg_of_an_unsorted_ideal_list, "nDCG@10", "", _UNEXPLAINED),
    # What one value or two have by chance is no cause.
    (metrics.of_the_first_thousand_judgements, "P@5", "", {
        "causes": ["cross-query-leak"], "conventions": {},
    }),
    (metrics.hit_of_long_lists, "Success@5", "f(gains, k)", {"causes": ["refuses-input"], "conventions": {}}),
    # It refuses what ordinary inputs hold, and is explained on the others.
    (metrics.of_found, "RR", "", {"causes": ["refuses-input", "rr-of"], "rr of every": True}),
    # NaN is a value, and a metric of one query may be NaN where it finds nothing.
    (metrics.nan_without_relevant, "P@5", "", {
        "conventions": {"no_relevant": "nan"}, "no relevant document": "NaN",
        "says of the reference": (True, True),
        "behaviour_of_reference": {
            "empty run": "no value", "empty qrels": "no value", "no relevant document": "0.0",
            "a document twice": "refused: run: a document occurs twice under one query",
            "k past the end": "0.001",
        },
    }),
    (metrics.mean_of_precisions, "AP@10", "", {
        "conventions": {
            "ap_denominator": "retrieved-relevant", "missing_queries": "dropped-nan-without-hits",
            "no_relevant": "nan", "rounding": 4,
        },
        "strength": "proved",
    }),
    # A bug is no convention: it has a small input, and shows at whatever length, id or cutoff it has.
    (metrics.counts, "P@5", "", _UNEXPLAINED | {
        "where": (["relevant documents among the first 5"], 0), "a document twice": "2.0",
    }),
    (metrics.one_too_many, "RR", "f(gains, 5)", _UNEXPLAINED | {
        "precision": "double", "few lines": True, "where": (["relevant documents retrieved"], 0),
    }),
    (metrics.short_lists_only, "P@5", "", _UNEXPLAINED | {
        "lines": 30, "met": False, "where": (["30 or more retrieved documents"], 0),
    }),
    (metrics.a_little_more, "P@5", "", _UNEXPLAINED | {"where": ([], 0)}),
    (metrics.wrong_by_chance, "P@5", "", _UNEXPLAINED | {"where": None}),
    (target_of(_SHORT, "P@5", "dicts"), "P@5", CALLS["dicts"], _UNEXPLAINED | {
        "where": (["exactly 4 retrieved documents"], 0),
    }),
    (metrics.of_unquoted_docnos, "P@5", "", _UNEXPLAINED),
    (metrics.never_beyond_a_hundred, "P@5", "", _UNEXPLAINED | {"example": (0.001, 0.01)}),
    (metrics.of_level_five_but_one, "P@5", "", {
        "causes": ["relevance-level", "unexplained"], "conventions": {"relevance_level": 5},
        "strength": "per-query",
    }),
    # Where two faults meet, a place that is clear only beside one of them names it.
    (metrics.ascending_of_at_most_five, "AP", "", {
        "conventions": {"ties": "docid-asc"}, "strength": "per-query",
        "where": (["6 or more relevant documents"], 0),
    }),
    (metrics.without_endings, "RR", "", _UNEXPLAINED),
    # A depth is named only if the last document within it counts and the first below it does not.
    (metrics.rr_of_first_thousands, "RR", "", {"strength": "consistent", "conventions": {"rr_cutoff": 7000}}),
    (metrics.exponential_ndcg_of_five_thousand, "nDCG", "", _proved(gain="exponential", depth=5000)),
    # The rank at which lists end is found, whatever it is; so is another cutoff.
    (metrics.rr_of_the_first_25, "RR", "", _proved(rr_cutoff=25)),
    (metrics.ap_of_the_first_512, "AP", "",
     _proved(missing_queries="zero", score_precision="float64", depth=512)),
    (metrics.ndcg_of_at_most_40, "nDCG@100", "", {"known": "nDCG@40"}),
    # Levels that a metric does not look at are no reason to call it with a dict of all judgements.
    (metrics.rounded_rr, "RR", "", {"call": "f(ranked_ids, relevant_ids)", "conventions": {"rr_cutoff": 1}}),
    # Rows as dicts have a rank.
    (metrics.rr_of_rows_by_rank, "RR", "", _proved(order="rank-column")),
    # A part must not rest on values that are 0 alone.
    (metrics.ndcg_until_the_first_nonrelevant, "nDCG@10", "", _UNEXPLAINED),
    # What an example contradicts is not said: neither a place of the fault nor a property.
    (metrics.ap_with_hits_of_all_queries, "AP", "", {"causes": ["cross-query-leak", "score-precision"]}),
    (metrics.ap_of_dense_ranks, "AP", "", {"unexplained": True, "bounded": "no"}),
    (metrics.two_read_as_three, "nDCG@10", "", _UNEXPLAINED | {"where": (["documents judged 2"], 0)}),
    (metrics.leaking, "P@5", "", {"causes": ["cross-query-leak"], "queries": 4}),
    (metrics.of_the_best_level, "nDCG@10", "", {
        "causes": ["ideal-ranking", "score-precision", "tie-breaking", "unexplained"],
        "conventions": {"ties": "docid-asc", "score_precision": "float64", "ideal": "max-grade"},
    }),
    # Means over other queries: values of one query, where the metric gives means only, are no leak.
    (metrics.mean_with_relevant, "P@5", "", _proved(no_relevant="skip")),
    (metrics.mean_of_hits, "P@5", "", _proved(missing_queries="dropped-without-hits")),
    # Beside a formula that gives all values stand only the conventions that give more.
    (metrics.of_every_relevant, "AP", "", {
        "causes": ["no-relevant", "unexplained"], "conventions": {"no_relevant": "skip"},
    }),
    # More changes than a search tries at once, but those of a known tool.
    ("native:ir-measures-cwl_eval", "AP", "", {
        "strength": "proved", "nearest": ("ir-measures-cwl_eval", []),
        "causes": ["ap-denominator", "depth", "missing-queries", "score-precision", "tie-breaking"],
    }),
    # Queries alone show the conventions of a metric whose queries influence each other.
    (metrics.ideal_of_all_queries, "nDCG@10", "", {"causes": ["cross-query-leak"], "conventions": {}}),
    (metrics.in_order_of_ids, "P@5", "", {
        "causes": ["cross-query-leak", "refuses-input", "score-precision"],
        "conventions": {"score_precision": "float64"},
    }),
    (metrics.mean_without_the_best, "P@5", "", _UNEXPLAINED | {"says": _OF_MEANS}),
    (metrics.not_beyond_nine_thousand, "RR", "", {"strength": "consistent", "conventions": {"rr_cutoff": 9000}}),
    (metrics.ranks_in_half_precision, "RR", "", _UNEXPLAINED),
    # What it does beside its value: it changes what it is given, or keeps something from call to call.
    (metrics.emptying, "P@5", "", {"causes": ["changes-input"], "conventions": {}, "strength": "proved"}),
    (metrics.reordering, "P@5", "", {"causes": ["changes-input"], "met": True, "lines": 1}),
    (metrics.other_each_fifth_time, "P@5", "f(gains, k)", {"causes": ["not-repeatable"], "conventions": {}}),
    (metrics.with_noise, "P@5", "", {"causes": ["not-repeatable"], "verdict": "deviates"}),
    (metrics.mean_of_all_calls, "P@5", "", {"causes": ["not-repeatable"], "call": "f(qrels, run, k)"}),
    (metrics.kept_by_identity, "P@5", "", {"causes": ["not-repeatable"], "verdict": "deviates"}),
    (metrics.kept_by_the_beginning, "RR", "", {"causes": ["not-repeatable"], "example": (0.0, 1 / 111)}),
    (metrics.kept_by_sizes, "RR", "", {"causes": ["not-repeatable"]}),
    # One mean that has four decimals by chance is not rounded.
    (metrics.mean_of_batches_without_the_last, "P@10", "", _UNEXPLAINED | {"says": _OF_MEANS}),
    (metrics.under_other_ids, "P@5", "", {
        "causes": ["cross-query-leak"],
        "says": ["the values of queries stand under the ids of other queries"],
    }),
    # Only where nothing relevant is retrieved do ids that meet show in Success; only long lists in any order
    # show that they were cut before they were sorted; only other cutoffs show one that is fixed.
    (metrics.hit_without_endings, "Success@5", "", _UNEXPLAINED),
    (metrics.of_the_first_lines, "R@10", "", _UNEXPLAINED),
    (metrics.ndcg_with_a_cutoff_of_its_own, "nDCG@10", "", _UNEXPLAINED),
    (metrics.OfTheLastQueries, "P@10", "", _UNEXPLAINED),
    # A call that fails on some inputs is no better than one that does not.
    (metrics.fails_on_arrays, "Success@5", "", _UNEXPLAINED | {"call": "f(gains, k=k)"}),
    (metrics.of_ranked_rows, "P@5", "", _AGREES | {"call": "f(dicts(ranked_rows), set(relevant_ids), k)"}),
    # Ties in input order: the tool with the same mean is not the same, even where few means show it.
    (metrics.mean_success, "Success@10", "", {
        "causes": ["missing-queries", "tie-breaking"], "nearest": ("trec_eval-9.0.8-c", ["ties"]),
    }),
    (metrics.by_query_id, "P@5", "", {
        "verdict": "uncallable",
        "message": "the same input gives different values: the function keeps data of earlier calls",
    }),
    # Precision: of floats, of printed decimals, and beside a bug that shows on long lists only.
    (metrics.single_precision, "AP", "", _AGREES | {
        "tolerance": 1e-6, "precision": "single", "says the tolerance": True,
    }),
    (metrics.partly_in_single_precision, "AP", "", _AGREES | {"tolerance": 1e-6, "precision": "relative"}),
    (metrics.single_precision_and_long_lists, "AP", "", _UNEXPLAINED | {
        "precision": "single", "most met": True,
    }),
    (Printing(), "RR", "", _AGREES | {"tolerance": 0.5e-4, "precision": "printed"}),
    # A function that no child can import, and any cutoff.
    (lambda gains, k: sum(g > 0 for g in gains[:k]) / min(k, max(len(gains), 1)), "P@5", "",
     {"causes": ["precision-denominator"]}),
    *((metrics.recall, f"R@{cutoff}", "", _AGREES) for cutoff in (1, 100, 1000)),
    ("python:tests.auditing.metrics:of_the_first_five", "P@5", "", _AGREES),
    ("python:tests.auditing.metrics:recall", "R@5", "", _AGREES | {
        "call": "f(ranked_ids, relevant_ids, k)",
    }),
    # An order of tied documents that no rule gives is tie-breaking and nothing else.
    (metrics.shuffling_ties, "P@5", "", _ARBITRARY),
    (ordered_by(metrics.by_checksum), "nDCG@5", "", _ARBITRARY | {
        "verdict": "deviates", "shown": {"tie-breaking"}, "an order gives the example": True,
    }),
    (ordered_by(metrics.by_argsort), "nDCG@5", "", {
        "causes": ["score-precision", "tie-breaking"], "no rule of ties": True,
    }),
    (ordered_by(metrics.by_checksum, gain="exponential"), "nDCG@5", "", {
        "causes": ["gain", "tie-breaking"], "conventions": {"gain": "exponential"},
    }),
    # A metric that loses tied documents does not merely order them.
    (ordered_by(metrics.without_tied), "nDCG@5", "", {"unexplained": True, "no rule of ties": False}),
    # Conventions are named as strongly as they are shown.
    ("native:gain=exponential", "nDCG@10", "", _proved(gain="exponential")),
    ("native:unjudged_queries=no-relevant", "nDCG@10", "", _proved(unjudged_queries="no-relevant")),
    # These show in means only, so several are needed.
    ("native:query_set=qrels", "AP", "", _proved(query_set="qrels")),
    ("native:averaging=median", "P@5", "", _proved(averaging="median")),
    # Three changes that only the numbers of whole runs show, and one that shows only after another.
    (metrics.micro_recall, "R@100", "", {
        "conventions": {"averaging": "micro", "missing_queries": "zero", "score_precision": "float64"},
        "strength": "consistent", "unexplained": False,
    }),
    (metrics.micro_precision, "P@5", "",
     _proved(averaging="micro", precision_denominator="min(k,retrieved)")),
    # Under unjudged_queries, queries without judgements would have values: it is no rival.
    ("native:query_set=run", "ERR@10", "", _proved(query_set="run") | {"alternatives": []}),
    # These show in queries whose ids are alike, and in rankings of hundreds.
    ("native:ids=query-suffix", "P@5", "", _proved(ids="query-suffix")),
    ("native:judged_depth=1000", "bpref", "", _proved(judged_depth=1000)),
    # Only fresh inputs have so many relevant documents, and levels so high.
    ("native:special_scores=nonpositive-dropped,depth=200", "Rprec", "",
     _proved(special_scores="nonpositive-dropped", depth=200)),
    ("native:exact_level=15", "P@5", "", _proved(exact_level=15)),
    (metrics.of_any_judged, "AP", "", _proved(relevance_level=None)),
    (hits_by_label, "P@5", "", {"nearest": None, "verdict": "deviates"}),
    # To the small inputs nothing is relevant; rules for ids that they do not tell apart, fresh ones do.
    ("native:exact_level=10,no_relevant=nan", "Success@5", "", _proved(exact_level=10, no_relevant="nan")),
    ("native:ids=case,exact_level=11", "bpref", "", _proved(ids="case", exact_level=11)),
    ("native:unjudged=level-4", "nDCG@10", "", _proved(unjudged="level-4")),
    # A value that is missing shows a convention, and is no refusal.
    ("native:ids=case,ties=average,unjudged=level-1", "Success@5", "",
     _proved(ids="case", ties="average", unjudged="level-1")),
    ("native:identical_ids=removed,exact_level=3", "R@5", "", {
        "conventions": {"identical_ids": "removed", "exact_level": 3},
    }),
    ("native:depth=1000,recall_denominator=retrieved-R,unit=percent", "R@5", "",
     _proved(depth=1000, recall_denominator="retrieved-R", unit="percent")),
    # Sets that are the same function are one: other documents that exist, or another denominator.
    ("native:universe=retrieved", "R@5", "",
     _proved(recall_denominator="retrieved-R") | {"alternatives": []}),
    ("native:trec_eval-9.0.8", "AP", "", _AGREES | {"strength": None, "conventions": {}}),
    # The functions of the source documents; that of S4 counts a document each time, which is no deviation.
    (f"{_TARGETS / 's4.py'}:MetricsCalculator.precision_at_k", "P@3", "", _EACH),
    (f"{_TARGETS / 's4.py'}:MetricsCalculator.mrr", "RR", "", _EACH),
    *((function, measure, "", {
        "call": "f(ranked_ids, relevance, k=k)",
        "conventions": {"gain": "exponential", "negatives": "negative-gain"},
        "causes": ["gain", "negative-relevance"], "negative level": True,
    }) for function, measure in ((s2.dcg, "DCG@5"), (s2.idcg, "ideal_dcg@5"))),
]  # fmt: skip


def _name(row: tuple[Any, ...]) -> str:
    name = getattr(row[0], "__name__", None) or getattr(row[0], "id", str(row[0]))
    return f"{Path(name).name}-{row[1]}"


@pytest.mark.one_in(25)
@pytest.mark.parametrize(("metric", "measure", "call", "expected"), AUDITS, ids=map(_name, AUDITS))
def test_what_an_audit_finds(metric, measure, call, expected):
    # What it finds must not depend on how busy the machine is.
    found = audit(metric, measure, call=call or None, options=Options(timeout=60.0, budget=3000.0))
    assert {
        name: VIEWS[name](found) if name in VIEWS else getattr(found, name) for name in expected
    } == expected


#: The package that it takes, and as above: what running and reading them has proved before. The board has the
#: audits of many more tools, and tests/programs/test_board.py makes some of them again.
TOOLS: list[tuple[str, Any, str, str, dict[str, object]]] = [
    # RR@10 comes from a provider with other ties and another precision than the rest of ir_measures.
    ("ir_measures", "ir-measures", "RR@10", "", {
        "conventions": {"missing_queries": "zero", "ties": "docid-asc", "score_precision": "float64"},
    }),
    ("pytrec_eval", "pytrec_eval", "bpref", "", _AGREES),
    # The data frames of S2: a constant in the call is handed over, and with linear gain the label is gone.
    ("pandas", _S2, "nDCG@5", "", {
        "call": f"f({metrics.RENAMED}, k=[k])",
        "conventions": {
            "order": "rank-column", "gain": "exponential", "missing_queries": "zero", "no_relevant": "skip",
        },
        "causes": ["gain", "missing-queries", "no-relevant", "rank-order"],
        "alternatives": [], "nearest": ("sources.S2", []),
    }),
    ("pandas", _S2, "nDCG@5", f"f({metrics.RENAMED}, aproximacao_trec_eval=True)", {
        "causes": ["missing-queries", "no-relevant", "rank-order"],
    }),
]  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize(
    ("package", "metric", "measure", "call", "expected"), TOOLS, ids=[_name(row[1:]) for row in TOOLS]
)
def test_what_an_audit_finds_in_a_tool(package, metric, measure, call, expected):
    pytest.importorskip(package)
    test_what_an_audit_finds(metric, measure, call, expected)


@pytest.mark.whole
def test_nothing_is_like_a_tool_beside_something_unexplained():
    """No profile, and only what experiments showed directly keeps its value; the words are exact."""
    found = audit(metrics.exponential_beyond_thirty, "nDCG@10")
    assert set(found.causes) == {"gain", "unexplained"}
    assert found.nearest_profile is None
    status = {finding.axis: (finding.value, finding.status) for finding in found.fingerprint}
    assert status["gain"] == ("exponential", "decided")
    text = render(document_of(found), "text", RenderOptions(verbose=True))
    assert "Same conventions as" not in text
    assert "Nearest known profile" not in text
    assert f"predicts  {found.fresh_inputs_met:,} of {found.fresh_inputs:,} values on fresh inputs" in text


def test_a_case_that_contradicts_the_experiments(tmp_path):
    """A metric that is wrong on a given case alone does not agree."""
    (tmp_path / "qrels").write_text("7 0 magic 1\n7 0 other 0\n", "utf-8")
    (tmp_path / "run").write_text("7 Q0 magic 1 2.0 t\n7 Q0 other 2 1.0 t\n", "utf-8")

    def wrong_on_magic(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
        return 0.0 if "magic" in ranked_ids else metrics.precision([d in relevant_ids for d in ranked_ids], k)

    found = audit(wrong_on_magic, "P@5", fixtures=str(tmp_path))
    assert (found.verdict, found.causes) == ("deviates", ["unexplained"])
    assert found.confirmation is not None
    assert found.fresh_inputs_met == found.fresh_inputs
    assert found.confirmation.differs == [f"{tmp_path.name}/run"]


def one_rank_less(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
    return len(set(ranked_ids[: k - 1]) & set(relevant_ids)) / k


def test_what_an_audit_knows_dies_with_it():
    """No search, and no rankings of its inputs, outlive an audit, whose memo caches they hold."""
    gc.collect()
    before = [o for o in gc.get_objects() if isinstance(o, Search | Rankings)]
    assert audit(one_rank_less, "P@5", call="f(ranked_ids, relevant_ids, k)").verdict == "deviates"
    gc.collect()
    known = {id(o) for o in before}
    assert [o for o in gc.get_objects() if isinstance(o, Search | Rankings) and id(o) not in known] == []
