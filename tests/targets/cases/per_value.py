"""Minimal cases of further values of the axes: which documents are ranked, how, and which queries count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from tests.targets import labels, values
from tests.targets.cases.spec import CaseSpec, Expect, Recorded, rows
from tests.targets.plain import Qrels, Row, Run
from tests.targets.rules import Metric, Table, table

Compute: TypeAlias = Callable[[Qrels, Run], Table]


def values_case(
    name: str,
    label: str,
    description: str,
    qrels: Qrels,
    run: Run,
    files: Mapping[str, tuple[str, Compute]],
    *,
    measures: tuple[str, ...],
    also: tuple[Expect, ...] = (),
    reference: str | None = None,
    strict: bool = True,
    run_file: str = "run.txt",
) -> CaseSpec:
    """Recorded files that differ on every measure for one label, each by another value of its axis.

    Args:
        files: what the name of a file ends in -> the axis and its value, and the values of the file.
    """
    recorded = {f"recorded.{end}.json": Recorded(made, under=under) for end, (under, made) in files.items()}
    declared = tuple(
        Expect(f"recorded:{file}", measure, (label,), f"this file follows {saved.under}")
        for file, saved in recorded.items()
        for measure in measures
    )
    return CaseSpec(
        f"value-{name}",
        description,
        qrels,
        {run_file: run},
        measures,
        reference=reference,
        recorded=recorded,
        expect=(*declared, *also),
        strict=strict,
    )


def one_topic(
    name: str,
    label: str,
    description: str,
    judged: Mapping[str, int],
    lines: list[Row],
    measure: str,
    files: Mapping[str, tuple[str, Metric]],
    *,
    also: tuple[Expect, ...] = (),
    reference: str | None = None,
    strict: bool = True,
    run_file: str = "run.txt",
) -> CaseSpec:
    """The same for one topic and one measure."""
    made = {
        end: (under, table(**{measure.replace("@", "_"): metric})) for end, (under, metric) in files.items()
    }
    return values_case(
        name,
        label,
        description,
        {"1": judged},
        {"1": lines},
        made,
        measures=(measure,),
        also=also,
        reference=reference,
        strict=strict,
        run_file=run_file,
    )


def _tied(docs: str, *scores: str) -> list[Row]:
    return [
        Row(doc, rank, score) for rank, (doc, score) in enumerate(zip(docs.split(), scores, strict=True), 1)
    ]


_RULES = ("input", "reverse-input", "rank-column", "best", "worst")

RANKING = (
    one_topic(
        "order",
        "rank-order",
        "scores, rank column and the order of the lines put the relevant document into three places",
        {"d1": 1, "d2": 0, "d3": 0},
        [Row("d2", 1, "2.0"), Row("d1", 3, "3.0"), Row("d3", 2, "1.0")],
        "RR",
        {
            "input": ("order=input", values.rr_by_input),
            "rank": ("order=rank-column", labels.rr_by_rank_column),
        },
    ),
    one_topic(
        "ties",
        "tie-breaking",
        "seven documents with one score: each rule puts the relevant one into another place",
        dict.fromkeys(("a", "b", "c", "d", "e", "g"), 0) | {"f": 1},
        [Row(doc, rank, "1.0") for doc, rank in zip("abfcdeg", (1, 2, 4, 3, 5, 6, 7), strict=True)],
        "RR",
        {rule: (f"ties={rule}", values.rr_with_ties(rule)) for rule in _RULES},
    ),
    values_case(
        "ties-average",
        "tie-breaking",
        "the mean over all orders of three tied documents",
        {"1": {"d1": 2, "d2": 0, "d3": 0, "d4": 1}},
        {"1": _tied("d4 d1 d2 d3", "2.0", "1.0", "1.0", "1.0")},
        {
            "tool": (
                "ties=average",
                table(AP=values.ap_over_all_orders, nDCG_5=values.ndcg_over_all_orders),
            )
        },
        measures=("AP", "nDCG@5"),
        also=(Expect("hf-evaluate", "nDCG@5", ("tie-breaking",), "trectools' nDCG keeps input order"),),
    ),
    one_topic(
        "ties-average-rr",
        "tie-breaking",
        "the mean reciprocal rank over all orders of three tied documents",
        {"d1": 1, "d2": 0, "d3": 0},
        _tied("d1 d2 d3", "1.0", "1.0", "1.0"),
        "RR",
        {"tool": ("ties=average", values.rr_over_all_orders)},
    ),
    one_topic(
        "ties-group-end",
        "tie-breaking",
        "precision at the end of a group of three tied documents, as in scikit-learn",
        {"d1": 0, "d2": 1, "d3": 1, "d4": 0},
        _tied("d4 d1 d2 d3", "2.0", "1.0", "1.0", "1.0"),
        "AP",
        {"tool": ("ties=group-end", values.ap_behind_groups)},
    ),
    values_case(
        "ties-quicksort",
        "tie-breaking",
        "sixteen tied documents, shuffled by numba's quicksort as in ranx; fifteen would keep their order",
        {"1": {"d03": 2, "d05": 0, "d08": 1, "d11": 1, "d15": 1}},
        {"1": _tied("d07 d02 d12 d05 d15 d09 d01 d11 d04 d14 d08 d16 d03 d10 d06 d13", *["1.0"] * 16)},
        {
            "tool": (
                "ties=quicksort",
                table(AP=values.ap_of_sixteen_tied, nDCG_5=values.ndcg_of_sixteen_tied),
            )
        },
        measures=("AP", "nDCG@5"),
        also=(Expect("hf-evaluate", "nDCG@5", ("tie-breaking",), "trectools' nDCG keeps input order"),),
    ),
    one_topic(
        "ties-quicksort-twice",
        "tie-breaking",
        "thirty-two tied documents, sorted twice by numba's quicksort; fewer would be back in order",
        {"d07": 1, "d12": 1, "d26": 1},
        _tied(" ".join(f"d{(7 * i) % 32 + 1:02d}" for i in range(32)), *["1.0"] * 32),
        "AP",
        {"tool": ("ties=quicksort-twice", values.ap_of_thirty_two_tied)},
    ),
    one_topic(
        "special-scores-nan",
        "special-scores",
        "a NaN before two scores, where Python's sort leaves it",
        {"d1": 0, "d2": 0, "d3": 1},
        _tied("d1 d2 d3", "nan", "1.0", "2.0"),
        "RR",
        {"tool": ("special_scores=nan-keeps-place", values.rr_sorted_by_python)},
        reference="native",
        strict=False,
    ),
    one_topic(
        "duplicates",
        "duplicates",
        "a relevant document occurs twice in the ranking; the reference counts both lines",
        {"d1": 1, "d2": 0},
        rows("d1 d2 d1"),
        "AP",
        {
            "first": ("duplicates=first", values.ap_of_first_lines),
            "last": ("duplicates=last", values.ap_of_last_lines),
        },
        also=(
            Expect("ir-measures", "AP", (), "refused, as by trec_eval", "error"),
            Expect("native", "AP", (), "refused, as by trec_eval", "error"),
            Expect("pytrec_eval", "AP", (), "refused, as by trec_eval", "error"),
        ),
        reference="native:duplicates=each",
        strict=False,
    ),
    one_topic(
        "ids-strip",
        "id-normalisation",
        "the run has a blank after the id of the relevant document",
        {"d1": 1, "d2": 0},
        rows(("d2", "d1 ")),
        "RR",
        {"tool": ("ids=strip", values.rr_ids_stripped)},
        run_file="run.json",
    ),
    one_topic(
        "ids-int",
        "id-normalisation",
        "the run writes document 1 as 01",
        {"1": 1, "2": 0},
        rows("2 01"),
        "RR",
        {"tool": ("ids=int", values.rr_ids_as_integers)},
    ),
    values_case(
        "ids-query-suffix",
        "id-normalisation",
        "the run calls query 2010-1 by the name 2011-1, which is query 1 for gdeval",
        {"2010-1": {"d1": 1, "d2": 0}, "3": {"d1": 1}},
        {"2011-1": rows("d2 d1"), "3": rows("d1")},
        {"tool": ("ids=query-suffix", values.rr_by_query_suffix)},
        measures=("RR",),
        also=(
            Expect("hf-evaluate", "RR", (), "trectools fails on queries without judgements", "error"),
            Expect("ir-measures", "RR", ("missing-queries",), "a judged query without results counts as 0"),
        ),
    ),
)

JUDGEMENTS = (
    one_topic(
        "negatives-relevant",
        "negative-relevance",
        "a retrieved document with a negative level adds to bpref, as in trectools",
        {"d1": 1, "d2": -1, "d3": 0},
        rows("x1 d2 d1 d3"),
        "bpref",
        {"tool": ("negatives=relevant", values.bpref_negatives_relevant)},
        also=(Expect("hf-evaluate", "bpref", ("negative-relevance",), "this is trectools' bpref"),),
    ),
    one_topic(
        "negatives-gain",
        "negative-relevance",
        "a negative level is a negative gain, also in the ideal list",
        {"d1": 2, "d2": -1, "d3": 0},
        rows("d2 d1 d3"),
        "nDCG@5",
        {"tool": ("negatives=negative-gain", values.ndcg_with_negative_gains)},
    ),
    one_topic(
        "negatives-guarded",
        "negative-relevance",
        "the negative levels of the ideal list outweigh the others, and nDCG is 0",
        {"d1": 1, "d2": -3, "d3": -3},
        rows("d1 d2 d3"),
        "nDCG@5",
        {"tool": ("negatives=negative-gain-guarded", values.ndcg_with_guarded_gains)},
    ),
    one_topic(
        "unjudged-relevant",
        "unjudged-documents",
        "an unjudged document counts as relevant",
        {"d1": 1, "d2": 0},
        rows("d3 d2 d1"),
        "RR",
        {"tool": ("unjudged=level-1", values.rr_unjudged_relevant)},
    ),
    one_topic(
        "unjudged-levels",
        "unjudged-documents",
        "an unjudged document gains 2, 3 or 4",
        {"d1": 1, "d2": 2, "d4": 3, "d5": 4},
        rows("d3 d1"),
        "nDCG@5",
        {f"level-{n}": (f"unjudged=level-{n}", values.ndcg_unjudged_level(n)) for n in (2, 3, 4)},
    ),
    one_topic(
        "unjudged-nonrelevant",
        "unjudged-documents",
        "an unjudged document counts as judged nonrelevant",
        {"d1": 1, "d2": 0},
        rows("d3 d1"),
        "bpref",
        {"tool": ("unjudged=level-0", values.bpref_unjudged_nonrelevant)},
    ),
    one_topic(
        "relevance-level-0",
        "relevance-level",
        "every document of the qrels is relevant, as in MS MARCO's script",
        {"d1": 0, "d2": 1},
        rows("d1 d2"),
        "RR",
        {"tool": ("relevance_level=0", values.rr_every_line_relevant)},
    ),
)

QUERIES = (
    values_case(
        "missing-queries",
        "missing-queries",
        "query 4 has no results, query 2 finds nothing, query 3 only below the cutoff",
        {"1": {"d1": 1}, "2": {"d1": 1}, "3": {"d1": 1}, "4": {"d1": 1}},
        {"1": rows("d1"), "2": rows("d2"), "3": rows("d2 d1")},
        {
            "hits": ("missing_queries=dropped-without-hits", values.hitless_dropped(1)),
            "nan": ("missing_queries=nan", values.missing_as_nan),
            "nan-hits": ("missing_queries=nan-without-hits", values.hitless_as_nan),
            "nan-found": ("missing_queries=dropped-nan-without-hits", values.nan_without_hits),
            "relevant": ("missing_queries=dropped-without-relevant", values.hitless_dropped(None)),
        },
        measures=("P@1",),
        also=(
            Expect("ir-measures", "P@1", ("missing-queries",), "a judged query without results counts as 0"),
        ),
    ),
    values_case(
        "query-set-judged",
        "query-set",
        "the mean is divided by all judged queries, also by the one without results",
        {"1": {"d1": 1}, "2": {"d1": 1}},
        {"1": rows("d1")},
        {"tool": ("query_set=qrels", values.divided_by_judged_topics)},
        measures=("P@1",),
        also=(
            Expect("ir-measures", "P@1", ("missing-queries",), "a judged query without results counts as 0"),
        ),
    ),
)

LAST_BITS = (
    values_case(
        "result-precision",
        "float-noise",
        "values in single precision, with seven digits",
        {str(n): {f"d{rank}": int(rank == n) for rank in range(1, 8)} for n in (3, 5, 6, 7)},
        {str(n): rows("d1 d2 d3 d4 d5 d6 d7") for n in (3, 5, 6, 7)},
        {"tool": ("result_precision=float32", table(RR=values.rr_in_single_precision))},
        measures=("RR",),
    ),
)

CASES = (*RANKING, *JUDGEMENTS, *QUERIES, *LAST_BITS)
