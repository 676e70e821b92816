"""Minimal cases, one per cause label: formulas, means over queries, and numbers themselves."""

from __future__ import annotations

from tests.targets import formulas, labels, rules
from tests.targets.cases.per_label_ranking import ELEVEN, case_of, one_topic
from tests.targets.cases.spec import CaseSpec, Expect, Recorded, rows
from tests.targets.plain import Row
from tests.targets.rules import table

_RETRIEVED = ("d1", "x1 d1", "d2 x1", "d1 d2 d3", "d1 x1 d4")
#: Queries with 1, 4, 2, 3 and 8 relevant documents, of which 1, 1, 1, 3 and 2 are found.
SEVERAL_R = (
    {
        str(query): {f"d{i}": 1 for i in range(1, relevant + 1)}
        for query, relevant in enumerate((1, 4, 2, 3, 8), 1)
    },
    {
        str(query): rows(docs)
        for query, docs in enumerate(("d1", "x1 d1", "d2 x1", "d1 d2 d3", "d1 x1 d4"), 1)
    },
)

FORMULAS = (
    one_topic(
        "gain",
        "grade 1 above grade 3",
        {"d1": 1, "d2": 3},
        rows("d1 d2"),
        "nDCG@5",
        labels.ndcg_exponential,
        "gain 2^grade - 1",
        "gain=exponential",
    ),
    one_topic(
        "discount",
        "a nonrelevant document above grades 1 and 2",
        {"d1": 0, "d2": 1, "d3": 2},
        rows("d1 d2 d3"),
        "nDCG@5",
        labels.ndcg_jarvelin,
        "rank 1 undiscounted, then log2 of the rank",
        "discount=jarvelin",
    ),
    one_topic(
        "ideal-ranking",
        "the best document was not retrieved",
        {"d1": 1, "d2": 0, "d3": 2},
        rows("d1 d2"),
        "nDCG@5",
        labels.ndcg_ideal_from_run,
        "the ideal list is the retrieved list, sorted",
        "ideal=retrieved",
    ),
    one_topic(
        "precision-denominator",
        "precision at 5 of two retrieved documents",
        {"d1": 1, "d2": 0},
        rows("d1 d2"),
        "P@5",
        labels.precision_over_retrieved,
        "divided by the number retrieved where that is below k",
        "precision_denominator=min(k,retrieved)",
    ),
    one_topic(
        "recall-denominator",
        "recall at 1 with two relevant documents",
        {"d1": 1, "d2": 1},
        rows("d1 d2"),
        "R@1",
        labels.recall_capped,
        "divided by k where more than k documents are relevant",
        "recall_denominator=min(R,k)",
    ),
    one_topic(
        "ap-denominator",
        "one of two relevant documents was retrieved",
        {"d1": 1, "d2": 1, "d3": 0},
        rows("d1 d3"),
        "AP",
        labels.ap_over_retrieved_relevant,
        "divided by the relevant documents that were retrieved",
        "ap_denominator=retrieved-relevant",
    ),
    case_of(
        "rr-cutoff",
        "first relevant documents at ranks 11 and 10; cutting the ranking itself at 10 gives the same",
        {"1": dict.fromkeys(ELEVEN, 0) | {"d11": 1}, "2": dict.fromkeys(ELEVEN, 0) | {"d10": 1}},
        {"1": rows(ELEVEN), "2": rows(ELEVEN)},
        ("RR",),
        table(RR=labels.rr_at_10),
        "0 below rank 10",
        "rr_cutoff=10",
    ),
    one_topic(
        "rr-of",
        "two relevant documents, at ranks 2 and 3, and one that was not found",
        {"d1": 0, "d2": 1, "d3": 1, "d4": 1},
        rows("d1 d2 d3"),
        "RR",
        formulas.rr_of_every(lambda num_rel, found: num_rel),
        "the mean of 1 / rank over all relevant documents",
        "rr_of=every",
    ),
    case_of(
        "max-grade",
        "ERR of two queries on a scale that ends at the highest level of the qrels, 3",
        {"1": {"d1": 0, "d2": 2}, "2": {"d1": 3, "d2": 1}},
        {"1": rows("d1 d2"), "2": rows("x1 d1")},  # gdeval.pl, which prints five decimals, agrees
        ("ERR@3",),
        formulas.err_to_highest_of_qrels(3),
        "the highest level of the qrels in place of 4",
        "max_grade=qrels",
    ),
    one_topic(
        "exact-level",
        "relevant documents of levels 1, 2 and 3, of which only those of level 2 count",
        {"d1": 1, "d2": 3, "d3": 2, "d4": 0},
        rows("d1 d2 d3 d4"),
        "AP",
        formulas.only_level(2, rules.average_precision),
        "documents of levels 1 and 3 are nonrelevant",
        "exact_level=2",
    ),
    one_topic(
        "bpref-form",
        "two relevant documents and no judged nonrelevant one",
        {"d1": 1, "d2": 1},
        rows("d1 d2"),
        "bpref",
        labels.bpref_zero_without_nonrelevant,
        "0 where no judged nonrelevant document exists",
        "bpref_form=zero-when-no-nonrelevant",
        also=(
            Expect(
                "hf-evaluate",
                "bpref",
                ("bpref-form",),
                "trectools divides by the judged nonrelevant documents",
            ),
        ),
    ),
)

QUERIES = (
    case_of(
        "missing-queries",
        "one of two judged queries has no results",
        {"1": {"d1": 1}, "2": {"d2": 1}},
        {"1": rows("d1")},
        ("P@5",),
        labels.missing_as_zero,
        "a judged query without results counts as 0",
        "missing_queries=zero",
        also=(
            Expect("ir-measures", "P@5", ("missing-queries",), "a judged query without results counts as 0"),
        ),
    ),
    CaseSpec(
        "label-no-relevant",
        "query 2 has nothing relevant: 1, NaN, or no value at all, instead of 0",
        {"1": {"d1": 1}, "2": {"d2": 0}, "3": {"d3": 1, "d4": 0}},
        {"run.txt": {"1": rows("d1"), "2": rows("d2"), "3": rows("d4")}},
        ("nDCG@5",),
        recorded={
            "recorded.one.json": Recorded(labels.one_without_relevant, under="no_relevant=one"),
            "recorded.nan.json": Recorded(labels.nan_without_relevant, under="no_relevant=nan"),
            "recorded.skip.json": Recorded(labels.skipped_without_relevant, under="no_relevant=skip"),
        },
        expect=(
            Expect("recorded:recorded.one.json", "nDCG@5", ("no-relevant",), "1 where nothing is relevant"),
            Expect("recorded:recorded.nan.json", "nDCG@5", ("no-relevant",), "NaN where nothing is relevant"),
            Expect(
                "recorded:recorded.skip.json",
                "nDCG@5",
                ("no-relevant",),
                "no value where nothing is relevant",
            ),
        ),
    ),
    case_of(
        "query-set",
        "the run has results for a query without judgements",
        {"1": {"d1": 1}, "2": {"d2": 0, "d3": 1}},
        {"1": rows("d1"), "2": rows("d2"), "3": rows("d4")},
        ("P@1",),
        labels.divided_by_topics_of_run,
        "the mean is divided by all queries of the run",
        "query_set=run",
    ),
    case_of(
        "percentage",
        "values as papers print them, times 100",
        {"1": {"d1": 1, "d2": 2}, "2": {"d2": 0, "d3": 1}, "3": {"d4": 2, "d5": 1}},
        {"1": rows("d1 d2"), "2": rows("d2 d3"), "3": rows("d6 d5 d4")},
        ("nDCG@5",),
        labels.in_percent,
        "the values are percentages",
        "unit=percent",
    ),
    case_of(
        "unjudged-queries",
        "the run has results for a query without judgements, which counts as 0",
        {"1": {"d1": 1}, "2": {"d2": 0, "d3": 1}},
        {"1": rows("d1"), "2": rows("d2"), "3": rows("d4")},
        ("P@1",),
        labels.unjudged_as_zero,
        "a query without judgements has a value, and counts in the mean",
        "unjudged_queries=no-relevant",
    ),
    case_of(
        "averaging",
        "recall of five queries with one to eight relevant documents, and its median",
        SEVERAL_R[0],
        SEVERAL_R[1],
        ("R@5",),
        formulas.recall_summed_up(5, formulas.median_of),
        "the median over queries in place of their mean",
        "averaging=median",
    ),
    case_of(
        "geometric-floor",
        "one of two queries finds nothing",
        {"1": {"d1": 1, "d2": 0}, "2": {"d1": 1, "d2": 0}},
        {"1": rows("d2 d1"), "2": rows("d2")},
        ("gm_map",),
        table(gm_map=labels.log_ap_without_floor),
        "no floor under the geometric mean",
        "geometric_floor=none",
    ),
    CaseSpec(
        "label-cross-query-leak",
        "two queries share their documents: the mean of HF evaluate's Rprec is not that of its queries",
        {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}},
        {"run.txt": {"1": rows("a b"), "2": rows("a b")}},
        ("Rprec",),
        expect=(
            Expect(
                "hf-evaluate",
                "Rprec",
                ("cross-query-leak",),
                "under pandas 3 trectools joins on the docno alone: relevant for one is relevant for all",
            ),
        ),
    ),
)

NUMBERS = (
    one_topic(
        "rounding",
        "a third, saved with four decimals",
        {"d1": 0, "d2": 0, "d3": 1},
        rows("d1 d2 d3"),
        "RR",
        lambda judged, lines: round(rules.reciprocal_rank(judged, lines), 4),
        "saved with four decimals",
        "rounding=4",
    ),
    one_topic(
        "float-noise",
        "the same terms added from the last rank to the first, compared to the last bit",
        {"d1": 0, "d2": 2, "d3": 3, "d4": 3},
        rows("d1 d2 d3 d4"),
        "nDCG@5",
        labels.ndcg_added_backwards,
        "the same terms added in another order",
        tolerance=0.0,
    ),
    one_topic(
        "unexplained",
        "a plain bug: the first rank counts as 2",
        {"d1": 1, "d2": 0},
        rows("d1 d2"),
        "RR",
        labels.rr_off_by_one,
        "a bug put here on purpose, which no convention explains",
    ),
)

INPUTS = (
    case_of(
        "identical-ids",
        "the run finds the query itself, then an unjudged document",
        {"7": {"d1": 1, "d2": 0}},
        {"7": rows("7 d3 d1")},
        ("RR",),
        labels.own_id_removed,
        "a document with the id of its query is taken out",
        "identical_ids=removed",
    ),
    one_topic(
        "id-normalisation",
        "the run spells a relevant document in lower case",
        {"D1": 1, "D2": 0},
        rows("d3 d1"),
        "RR",
        labels.rr_ids_in_lower_case,
        "document ids are compared without regard to letter case",
        "ids=case",
    ),
    one_topic(
        "special-scores",
        "the second relevant document has a negative score",
        {"d1": 1, "d2": 0, "d3": 1},
        [Row("d1", 1, "1.0"), Row("d2", 2, "-1.0"), Row("d3", 3, "-2.0")],
        "AP",
        labels.ap_of_positive_scores,
        "documents with a score of 0 or below count as not retrieved",
        "special_scores=nonpositive-dropped",
    ),
    CaseSpec(
        "label-duplicates",
        "a relevant document occurs twice in the ranking, which trec_eval refuses",
        {"1": {"d1": 1, "d2": 0}},
        {"run.txt": {"1": rows("d1 d2 d1")}},
        ("AP",),
        reference="native:duplicates=last",
        recorded={"recorded.tool.json": Recorded(table(AP=labels.ap_of_every_line), under="duplicates=each")},
        expect=(
            Expect("recorded:recorded.tool.json", "AP", ("duplicates",), "each line counts"),
            Expect("hf-evaluate", "AP", ("duplicates",), "trectools counts each line"),
            Expect("ir-measures", "AP", (), "refused, as by trec_eval", "error"),
            Expect("native", "AP", (), "refused, as by trec_eval", "error"),
            Expect("pytrec_eval", "AP", (), "refused, as by trec_eval", "error"),
        ),
        strict=False,
    ),
    one_topic(
        "universe",
        "one of two relevant documents was not retrieved",
        {"d1": 1, "d2": 1, "d3": 0},
        rows("d1 d3"),
        "Rprec",
        labels.rprec_of_the_list,
        "R is the number of relevant documents in the list",
        "universe=retrieved",
    ),
    one_topic(
        "rprec-denominator",
        "two documents returned where three are relevant",
        {"d1": 1, "d3": 1, "d4": 1},
        rows("d1 d2"),
        "Rprec",
        labels.rprec_over_returned,
        "divided by the documents returned where they are fewer than R",
        "rprec_denominator=min(R,retrieved)",
    ),
    case_of(
        "recall-points",
        "relevant documents at ranks 1 and 3",
        {"1": {"d1": 1, "d2": 0, "d3": 1}},
        {"1": rows("d1 d2 d3")},
        ("11pt_avg",),
        lambda qrels, run: {
            topic: {"11pt_avg": labels.eleven_points_rounded(qrels[topic], lines)}
            for topic, lines in run.items()
        },
        "recall points are rounded, as in trec_eval 10",
        "recall_points=round",
    ),
)

CASES = (*FORMULAS, *INPUTS, *QUERIES, *NUMBERS)
