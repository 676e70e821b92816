"""How a call is found: from the names of parameters, from the code, and by trying."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from crosscheck.auditing import audit
from crosscheck.auditing.calls import as_program, parse_call
from crosscheck.auditing.finding import FoundCall, FunctionOfMeasures, find_call, finding_its_call
from crosscheck.auditing.metric import AuditedMetric
from crosscheck.auditing.signatures import UNKNOWN, candidates
from crosscheck.auditing.targets import CalledFunction, target_of
from crosscheck.auditing.words import Materials
from crosscheck.backends.guarded import Guarded
from crosscheck.conventions import conventions
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.inputs.queries import Line, Probe, Query
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from tests.auditing import metrics
from tests.cli.test_audit import python
from tests.targets import s1, s2


def test_names_that_say_nothing_are_no_reason():
    """Every call that an unknown name leaves costs more than one with a known name, and some leave none."""
    assert all(cost >= UNKNOWN for cost, _ in candidates(lambda foo, bar: 0, None, has_cutoff=True))
    assert candidates(lambda query, k: 0, None, has_cutoff=True) == []
    assert candidates(lambda retrieved, relevant, k, mode: 0, None, has_cutoff=True) != []


def test_lists_of_text_are_no_numbers():
    """Lists of lists of text are ids of several queries, whatever the names of the parameters."""

    def f(truth: list[list[str]], predictions: list[list[str]]) -> None:
        """Of several queries."""

    calls = [call for _, call in candidates(f, None, has_cutoff=False)]
    assert "f(each(relevant_ids), each(ranked_ids))" in map(str, calls)
    assert not any(call.words & {"gains", "binary", "y_true", "y_score", "scores"} for call in calls)


def _hits(docs: Any, relevant: Any) -> float:
    return sum(doc in relevant for doc in list(docs)[:5]) / 5


def _positive(judged: dict[str, int]) -> set[str]:
    return {docno for docno, level in judged.items() if level > 0}


def _by_cutoff(run: Any, qrels: Any) -> dict[str, dict[str, dict[int, float]]]:
    """A table by query, measure and cutoff, which is read as a whole, not at the first query."""
    shared = {query: metrics.by_score(run[query]) for query in run if query in qrels}
    return {
        q: {"P": {k: sum(d in _positive(qrels[q]) for d in docs[:k]) / k for k in (5, 10)}}
        for q, docs in shared.items()
    }


def _of_described(qrels, run):  # type: ignore[no-untyped-def]
    """Precision.

    Args:
        qrels: dict from query to the set of its relevant documents
    """
    return {q: _hits(run[q], qrels[q]) for q in run if q in qrels}


def _of_sets(qrels: dict[str, set[str]], run: Any) -> dict[str, float]:
    return {q: _hits(run[q], qrels[q]) for q in run if q in qrels}


def _of_pairs(results: dict[str, list[tuple[str, float]]], qrels: dict[str, set[str]]) -> dict[str, float]:
    return {q: _hits([d for d, _ in results[q]], qrels[q]) for q in results if q in qrels}


def _of_keys(qrels: dict[tuple[str, str], int], run: dict[tuple[str, str], float]) -> dict[str, float]:
    ranked: dict[str, dict[str, float]] = {}
    for (query, docno), score in run.items():
        ranked.setdefault(query, {})[docno] = score
    judged = {query for query, _ in qrels}
    return {
        query: _hits(
            metrics.by_score(scores), {docno for docno in scores if qrels.get((query, docno), 0) > 0}
        )
        for query, scores in ranked.items()
        if query in judged
    }


def _of_files(run_path: str, qrels_path: str) -> dict[str, float]:
    """Of files in trec_eval's form."""
    judged = [line.split() for line in Path(qrels_path).read_text("utf-8").splitlines()]
    lines = [line.split() for line in Path(run_path).read_text("utf-8").splitlines()]
    return _of_keys(
        {(query, docno): int(level) for query, _, docno, level in judged},
        {(query, docno): float(score) for query, _, docno, _, score, _ in lines},
    )


def _of_paths(qrels: Path, run: Path) -> dict[str, float]:
    assert (qrels.name, run.name) == ("qrels", "run.txt")
    return _of_files(str(run), str(qrels))


def _of_ms_marco(path_to_reference, path_to_candidate):  # type: ignore[no-untyped-def]
    """By rank, of qrels with tabs and results of three columns; one number."""
    judged = [line.split("\t") for line in Path(path_to_reference).read_text("utf-8").splitlines()]
    relevant = {(query, docno) for query, _, docno, level in judged if int(level) > 0}
    best: dict[str, float] = {}
    for line in Path(path_to_candidate).read_text("utf-8").splitlines():
        query, docno, rank = line.split("\t")
        if (query, docno) in relevant and int(rank) <= 10:
            best[query] = max(best.get(query, 0.0), 1 / int(rank))
    return sum(best.values()) / len({query for query, *_ in judged})


def _of_listed_queries(truth, predictions, users):  # type: ignore[no-untyped-def]
    """The mean RR of lists in the order of ``users``."""
    firsts = (
        next((1 / rank for rank, docno in enumerate(ranking, 1) if docno in truth[user]), 0.0)
        for user, ranking in zip(users, predictions, strict=True)
    )
    return sum(firsts) / len(users)


def _of_ratings(recs_df, truth_df, item_column="item_id", rating_column="rating"):  # type: ignore[no-untyped-def]
    """A recommender's frames: the score of a result is a rating as well."""
    truth = truth_df[truth_df[rating_column] > 0]
    ranked = recs_df.sort_values(rating_column, ascending=False, kind="stable")
    return {
        query: len({*rows[item_column].head(5)} & {*truth[truth["query"] == query][item_column]}) / 5
        for query, rows in ranked.groupby("query")
    }


def _of_judged(ranked, judged):  # type: ignore[no-untyped-def]
    """The AP of the judged documents, of a list as well as of the keys of a dict."""
    hits, total = 0, 0.0
    for rank, docno in enumerate((docno for docno in ranked if docno in judged), 1):
        hits += judged[docno] > 0
        total += (judged[docno] > 0) * hits / rank
    return total / (sum(level > 0 for level in judged.values()) or 1)


def _without_the_last_group(preds, labels, group_sizes, k=10):  # type: ignore[no-untyped-def]
    """The mean nDCG of lists that follow one another."""
    values, start = [], 0
    for size in group_sizes[:-1] or group_sizes:
        scores, levels = (np.asarray(of[start : start + size], float) for of in (preds, labels))
        start += size
        discounts = 1 / np.log2(np.arange(2, min(size, k) + 2))
        best = (np.sort(levels)[::-1][:k] * discounts).sum()
        found = (levels[np.argsort(-scores, kind="stable")[:k]] * discounts).sum()
        values.append(found / best if best else 0.0)
    return float(np.mean(values))


def _first_in_both(found: Any, truth: Any, k: int) -> float:
    """Of a string, too, the first letters can be taken: a docno that is short enough is then found."""
    return len(np.intersect1d(found[:k], truth[:k])) / k


#: Functions whose parameters leave several calls, the measure, and the call that conventions explain.
FOUND: list[tuple[Callable[..., Any], str, str]] = [
    (lambda foo, bar: _hits(foo, bar), "P@5", "f(ranked_ids, relevant_ids)"),
    # Lists of lists hardly ever give Success@5, given out as R@10, a number.
    (lambda ranked, relevant, k: float(any(docno in relevant for docno in ranked[:5])), "R@10",
     "f(ranked_ids, relevant_ids, k)"),
    (_by_cutoff, "P@5", "f(run, qrels)"),
    # It raises where anything relevant is missing, and never on a dict of lists: numbers nearly all the same.
    (metrics.of_found, "P@5", "f(relevant_ids, ranked_ids)"),
    # Tests of membership take documents of level 0 for relevant; sets of the relevant ones would hide it.
    (lambda qrels, run: {q: _hits(run[q], qrels[q]) for q in run if q in qrels}, "P@5", "f(qrels, "),
    (_of_described, "P@5", "f(by_query(relevant_ids), "),
    (_of_sets, "P@5", "f(by_query(relevant_ids), "),
    (lambda qrels, run: {q: len(qrels[q] & set(list(run[q])[:5])) / 5 for q in run if q in qrels}, "P@5",
     "f(by_query(set(relevant_ids)), "),
    # Not the first number for two lists of ids, whose letters are then taken for documents.
    (lambda relevant_lists, retrieved_lists: list(map(_hits, retrieved_lists, relevant_lists)), "P@5",
     "f(each(relevant_ids), each(ranked_ids))"),
    (_of_pairs, "P@5", "f(by_query(items(scored)), by_query(relevant_ids))"),
    (
        lambda results, qrels: {
            q: _hits([d for d, _ in results[q]], _positive(qrels[q])) for q in results if q in qrels
        },
        "P@5",
        "f(by_query(items(scored)), qrels)",
    ),
    (_of_keys, "P@5", "f(flat(qrels), flat(run))"),
    (_of_files, "P@5", "f(file(results_rows), file(qrels_rows))"),
    (_of_paths, "P@5", "f(path(qrels_rows), path(results_rows))"),
    # What is yielded is gathered, and pairs of a query and its value are a dict.
    (lambda run, qrels: ((q, _hits([*run[q]], _positive(qrels[q]))) for q in run if q in qrels), "P@5",
     "f(by_query(ranked_ids), qrels)"),
    (_of_ms_marco, "RR@10", "f(tsv(qrels_rows), tsv(results_rows))"),
    (_of_listed_queries, "RR", "f(by_query(relevant_ids), each(ranked_ids), each(query))"),
    (_of_ratings, "P@5", "f(results_df(docid='item_id', score='rating'), qrels_df(docid='item_id', "),
    # Whether a row is in an array is a number too, which no convention explains.
    (lambda recommended, target_item, k=10: float(target_item in recommended[:k]), "Success@10",
     "f(ranked_ids, relevant_id, k=k)"),
    (lambda predicted_items, next_item, k=10: float(next_item in predicted_items[:k]), "Success@10",
     "f(ranked_ids, relevant_id, k=k)"),
    (lambda neighbors, ground_truth, k=10: _first_in_both(neighbors, ground_truth, k), "R@10",
     "f(ranked_ids, relevant_ids, k=k)"),
    (_of_judged, "AP", "f(ranked_ids, relevance)"),
    # The queries fit in one array only if no list is short.
    (lambda binary, k=1000: float(np.asarray(binary[:k], np.uint8).sum(dtype=np.uint8)) / k, "P@1000",
     "f(binary, k=k)"),
    (_without_the_last_group, "nDCG@10", "f(all_y_score, all_y_true, group_sizes, k=k)"),
    # Of the completion of knowledge graphs: of each triple, the rank of one entity. A recall is of one query.
    (lambda ranks, k=10: float(np.mean(np.asarray(ranks) <= k)), "Success@10", "f(each(rank), k=k)"),
    (lambda ranks: sum(1 / rank for rank in ranks) / len(ranks), "RR", "f(each(rank))"),
    (lambda ranks, k=10: sum(rank <= k for rank in ranks) / max(len(ranks), 1), "R@10", "f(ranks, k=k)"),
]  # fmt: skip


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("function", "measure", "call"), FOUND, ids=[call for *_, call in FOUND])
def test_the_call_is_found_by_trying(function, measure, call):
    assert str(_found(function, measure).call).startswith(call)


class _Tensor:
    """Stands for one of PyTorch, which is no list and no array."""

    def __init__(self, values: list[float] | list[list[float]]) -> None:
        self.values = values

    def hits(self, target, k):  # type: ignore[no-untyped-def]
        order = sorted(range(len(self.values)), key=lambda place: -self.values[place])
        return sum(target.values[place] > 0 for place in order[:k]) / k


def test_a_batch_is_passed_with_all_queries():
    """Padding to the longest list is no fault in a batch of one query."""

    def precision(labels: list[list[int]]) -> float:
        longest = max(map(len, labels))
        return sum(sum(level > 0 for level in of) / longest for of in labels) / len(labels)

    assert str(_found(precision, "SetP").call) == "f(each(gains))"


def test_plain_arrays_are_passed_as_such_where_rows_compute_too():
    """numpy broadcasts over a list of one row, and a metric with a fault then looks like one of its own."""

    def ndcg(rels: np.ndarray, ideal_rels: np.ndarray, k: int) -> float:
        discounts = np.log2(np.arange(2, k + 2)).round(1)
        sums = [(of[:k] / discounts[: len(of[:k])]).sum() for of in (rels, np.sort(ideal_rels)[::-1])]
        return sums[0] / sums[1] if sums[1] else 0.0

    assert str(_found(ndcg, "nDCG@10").call) == "f(array(gains), array(ideal_gains), k)"


def test_a_parameter_that_is_named_a_list_gets_no_dict():
    def rr(ranked_list, gold):
        return next((1 / max(place, 1) for place, doc in enumerate(ranked_list) if doc in gold), 0.0)

    assert str(_found(rr, "RR").call) == "f(ranked_ids, relevant_ids)"
    of_ids = _found(lambda ranked_ids, relevant_ids: sum(d in relevant_ids for d in ranked_ids[:5]) // 5)
    assert of_ids.call is None


def test_ids_of_all_queries_are_passed_in_one_call():
    """Each query is asked for alone only if its id is passed alone."""
    together = parse_call("f(by_query(relevant_ids), each(ranked_ids), each(query))")
    assert (together.by_query, together.named_queries) == (False, True)
    assert parse_call("f(run, qrels, query)").by_query


def test_frames_of_polars_are_given_and_read():
    pl = pytest.importorskip("polars")

    def hits(results: pl.DataFrame, qrels: pl.DataFrame, k: int) -> Any:  # type: ignore[name-defined]
        """A frame with a value for each query of the run that is judged."""
        relevant = qrels.filter(pl.col("rel") > 0)
        top = results.sort("score", descending=True, maintain_order=True).group_by("query").head(k)
        found = top.join(relevant, on=["query", "docid"]).group_by("query").len("hits")
        queries = results.select("query").unique().join(qrels.select("query").unique(), on="query")
        share = (pl.col("hits").fill_null(0) / k).alias("P@5")
        return queries.join(found, on="query", how="left").with_columns(share).select("query", "P@5")

    assert str(_found(hits, "P@5").call) == "f(polars(results_df), polars(qrels_df), k)"
    call, queries = parse_call("f(polars(qrels_df(docid='item')))"), qrels_from_dict({"1": {"a": 2}})
    materials = Materials(queries, run_from_dict({"1": {"a": 1.0}}), parse_measure("P@5"), call)
    (line,) = as_program(call, materials.sources[0])
    assert line == "print(f(from_dict({'query': ['1'], 'item': ['a'], 'rel': [2]})))"


def test_tensors_are_tried_where_nothing_else_works(monkeypatch):
    """In a row, too: functions of batches have no annotations either."""
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(tensor=_Tensor))
    single = _found(lambda preds, target, k: preds.hits(target, k), "P@5")
    assert str(single.call) == "f(tensor(y_score), tensor(y_true), k)"
    batch = _found(lambda preds, target, k: _Tensor(*preds.values).hits(_Tensor(*target.values), k), "P@5")
    assert str(batch.call) == "f(tensor([y_score]), tensor([y_true]), k)"


@pytest.mark.whole
def test_a_metric_of_files_agrees_and_leaves_none(tmp_path, monkeypatch):
    """No id is different for being written in a file, and no file stays behind."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = audit(_of_files, "P@5")
    assert (found.verdict, found.causes) == ("agrees", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.whole
def test_a_correct_metric_of_ranks_in_files_agrees():
    """Results without scores have their rank in trec_eval's order, as lists of ids have."""

    def precision(qrels_path, run_path):
        levels = [line.split() for line in Path(qrels_path).read_text("utf-8").splitlines()]
        relevant = {(query, docno) for query, _, docno, level in levels if int(level) > 0}
        lines = [line.split("\t") for line in Path(run_path).read_text("utf-8").splitlines()]
        judged = {query for query, *_ in levels}
        values = {query: 0.0 for query, *_ in lines if query in judged}
        for query, docno, rank in lines:
            if int(rank) <= 5 and (query, docno) in relevant:
                values[query] += 0.2
        return {query: round(5 * value) / 5 for query, value in values.items()}

    found = audit(precision, "P@5", call="f(tsv(qrels_rows), tsv(results_rows))")
    assert (found.verdict, found.causes, found.refused) == ("agrees", [], "")


def test_a_call_that_nothing_explains_needs_to_be_told():
    refused = _found(lambda foo, bar: len(foo) / (1 + len(bar)) ** 0.5)
    assert refused.call is None
    assert "--call" in refused.message
    assert _found(lambda foo, truth, k=10: _first_in_both(foo, truth, k), "R@10").call is None


def test_inputs_that_a_call_needs_are_told():
    said = "the metric often fails on relevant documents that were not retrieved, so no input has any"
    assert _found(metrics.of_found).tried[-1] == said


def test_calls_that_are_explained_differently_are_listed():
    """Recall with the judgements first, or something else with all queries at once: nobody says which, so the
    audit says that it could not be called, and how to say it."""
    done = audit(lambda foo, bar: len(set(foo) & set(bar)) / len(foo) if foo else 0.0, "SetR")
    assert (done.verdict, done.causes) == ("uncallable", [])
    assert str(done.message).startswith("the parameters allow calls with different results; ")
    assert str(done.message).count("--call") > 1
    assert '--call "f(relevant_ids, ranked_ids)"' in str(done.message)


@pytest.mark.parametrize(
    ("relevant", "call"),
    [
        (lambda level: level in (1, 2) or level >= 4, "f(gains, k=k)"),
        (lambda level: level % 2, "f(gains, k=k)"),
        (lambda level: level, "f(binary, k=k)"),
        (lambda level: level == 1, "f(binary, k=k)"),
        (lambda level: level >= 5, "f(gains, k=k)"),
    ],
    ids=["without 3", "odd", "sum", "1", "from 5 on"],
)
def test_a_metric_that_chooses_relevant_levels_is_given_levels(relevant, call):
    def precision(relevance_scores: list[int], k: int = 5) -> float:
        return sum(map(relevant, relevance_scores[:k])) / k

    assert str(_found(precision).call) == call


def _of_run(query_id, qrels, run):  # type: ignore[no-untyped-def]
    return _hits(metrics.by_score(run[query_id]), _positive(qrels[query_id]))


def _of_any_query(query_id, qrels, run):  # type: ignore[no-untyped-def]
    return max(_of_run(query_id, {query_id: judged}, run) for judged in qrels.values())


def _trusting(results: list[tuple[str, float]], relevant: set[str]) -> float:
    return _hits([docno for docno, _ in results], relevant)


def _sorting(results: list[tuple[str, float]], relevant: set[str]) -> float:
    return _trusting(sorted(results, key=lambda pair: pair[1], reverse=True), relevant)


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("function", "call", "causes"),
    [
        # A function of one query may be handed its id and all judgements; what it reads of others shows.
        (_of_run, "f(query, qrels, run)", []),
        (lambda qid, ranked, qrels: _hits(ranked, _positive(qrels[qid])), "f(query, ranked_ids, qrels)", []),
        (_of_any_query, "f(query, qrels, run)", ["cross-query-leak"]),
        # The order of a list of pairs may be trusted; one that sorts it reads scores in double precision.
        (_trusting, "f(items(scored), set(relevant_ids))", []),
        (_sorting, "f(items(scored), set(relevant_ids))", ["score-precision"]),
    ],
)
def test_what_is_called_by_query_or_with_pairs(function, call, causes):
    found = audit(function, "P@5")
    assert (found.call, found.causes) == (call, causes)


def test_documents_that_occur_twice_are_passed_beside_qrels():
    """A dict of lists holds them, and the dict of the qrels does not have to."""

    def precision(judged, ranked):  # type: ignore[no-untyped-def]
        return {q: _hits(ranked[q], _positive(judged[q])) for q in ranked if q in judged}

    found = audit(precision, "P@5", call="f(qrels, by_query(ranked_ids))")
    assert (found.verdict, found.message) == ("agrees", None)
    assert [property.name for property in found.properties if property.holds is False] == []


_BY_QUERY = "def f(qrels, run, {}):\n    return {{q: of({}, run[q], qrels[q]) for q in run if q in qrels}}"

_SETS = """
class f:
    def __init__(self, qrels, measures):
        assert isinstance(measures, set)
        self.qrels, self.measures = qrels, measures
    def evaluate(self, run):
        return {q: {m: of(m, run[q], self.qrels[q]) for m in self.measures} for q in run if q in self.qrels}
"""


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("source", "names", "call"),
    [
        ("def f(gains, measure): return of(measure, gains)", "P@{k} Success@{k}", "f(gains, measure)"),
        ("def f(metric, gains): return of(metric, gains)", "p@{k} success@{k}", "f(measure('{}'), gains)"),
        ("def f(gains, *, metric_name): return of(metric_name, gains)", "P_{k} success_{k}",
         "f(gains, metric_name=measure('{}'))"),
        ("def f(gains, metric: str = 'success.5'): return of(metric, gains)", "P.{k} success.{k}",
         "f(gains, metric=measure('{}'))"),
        ("def f(gains, k=10, evalMetric='hit_rate'): return of(evalMetric, gains, k)", "precision hit_rate",
         "f(gains, k=k, evalMetric=measure('{}'))"),
        ("def f(gains, measures=('precision@10',)): return {m: of(m, gains) for m in measures}",
         "precision@{k} hit_rate@{k}", "f(gains, measures=[measure('{}')])"),
        (_BY_QUERY.format("measure", "measure"), "precision_at_{k} hit_{k}", "f(qrels, run, measure('{}'))"),
        (_BY_QUERY.format("metrics: list[str]", "metrics[0]"), "P.{k} success.{k}",
         "f(qrels, run, [measure('{}')])"),
        (_SETS, "P.{k} success.{k}", "f(qrels, {{measure('{}')}}).evaluate(run)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("measure", "other"),
    [("P@5", KeyError), ("P@3", 0.0), ("Success@5", 1.0)],
    ids=["refuses other names", "gives 0 for them", "gives another measure for them"],
)
def test_the_name_of_the_measure_is_passed_as_the_function_spells_it(source, names, call, other, measure):
    """Wherever the parameter stands, and whatever the function does with names that it does not know."""
    family, _, cutoff = measure.partition("@")
    spellings = dict(zip(("P", "Success"), names.split(), strict=True))

    def of(name: str, ranked: Any, judged: Any = 5, k: int = int(cutoff)) -> float:
        if isinstance(ranked, dict):
            hits = [judged.get(d, 0) > 0 for d in metrics.by_score(ranked)]
        else:
            hits, k = [level > 0 for level in ranked], judged if "{k}" not in names else k
        for known, spelling in spellings.items():
            if name == spelling.replace("{k}", cutoff):
                return sum(hits[:k]) / k if known == "P" else float(any(hits[:k]))
        if other is KeyError:
            raise KeyError(name)
        return other and sum(hits) / (1 + len(hits))

    names_of: dict[str, Any] = {"of": of}
    exec(source, names_of)
    assert str(_found(names_of["f"], measure).call) == call.format(spellings[family])


@pytest.mark.parametrize("metric", ["cosine", None, "ndcg@5"])
def test_a_function_that_does_not_know_the_measure(metric):
    """Nothing is passed to a parameter that means something else; nothing is said of another measure."""

    def similarity(gains, k=5, metric=metric):  # type: ignore[no-untyped-def]
        if metric != "cosine":
            raise ValueError(metric)
        return sum(gain > 0 for gain in gains[:k]) / k

    found = _found(similarity)
    assert str(found.call) == ("f(gains, k=k)" if metric == "cosine" else "None")
    assert metric == "cosine" or "ValueError: " in found.message


def _found(function: Callable[..., Any], measure: str = "P@5") -> FoundCall:
    guard = Guarded(replace(target_of(function, None), isolated=False))
    subject = AuditedMetric(guard, parse_measure(measure), lambda message: None)
    return find_call(subject, conventions("trec_eval-9.0.8"))


def _of_wide_frames(predictions: Any, targets: Any, k: int, *, col_user: str = "") -> float:
    """A row per query, a column per rank."""
    rows = [
        (set(found[:k]), set(judged))
        for found, judged in zip(predictions.values, targets.values, strict=False)
    ]
    return sum(len(found & judged) / max(len(judged), 1) for found, judged in rows) / len(rows)


def _has(ranked: Any, target: Any) -> bool:
    return target in ranked[:5]


def _without_the_first(run_df: Any, qrels_df: Any, k: int) -> dict[str, float]:
    """A row per document, by position; the first of more than three is lost."""
    levels = {tuple(key): level for *key, level in qrels_df.values}
    values: dict[str, float] = {}
    for query in {*qrels_df.values[:, 0]} & {*run_df.values[:, 0]}:
        rows = sorted((row for row in run_df.values if row[0] == query), key=lambda row: row[2])
        found = [levels.get((query, row[1]), 0) > 0 for row in rows]
        values[query] = sum(found[len(found) > 3 :][:k]) / k
    return values


def test_frames_that_are_read_by_position_may_have_a_row_per_document():
    pytest.importorskip("pandas")
    found = _found(_of_wide_frames, "R@5")
    assert (found.call, "the function reads frames by position" in found.message) == (None, True)
    assert str(_found(_without_the_first, "P@5").call) == "f(results_df, qrels_df, k)"
    zipped = _found(lambda all_recs, targets: float(np.mean([*map(_has, all_recs, targets)])), "Success@5")
    assert str(zipped.call) == "f(each(ranked_ids), each(relevant_id))"


def _listed(function: Callable[..., Any]) -> list[str]:
    """The calls that are possible for a function, without their costs."""
    probe = Probe("a query", (("1", Query((("a", 1),), (Line("a", 1, 1.0),))),), None)
    listing = CalledFunction("f", None, function, isolated=False, listing=True)
    answer = listing.evaluate(probe.qrels, probe.run, [Measure("P", 5)])[Measure("P", 5)]
    return [call.partition(" ")[2] for call in answer.notes]


def test_records_are_tried_only_where_nothing_else_can_be_called():
    """A function that takes anything is given none; one that reads their fields is given nothing else."""
    assert "f(qrels, run)" in _listed(lambda qrels, run: 0.5)
    assert not [call for call in _listed(lambda qrels, run: 0.5) if "rows" in call or "labelled" in call]
    for of_records in (
        lambda results, relevant: float(results[0].doc_id in relevant),
        lambda chunks, relevant: float(chunks[0].doc_id in relevant),
    ):
        assert _listed(of_records) == ["f(ranked_rows(docid='doc_id'), relevant_ids)"]


def _mean_over_arrays(queries_relevances: Any) -> float:
    """S1's mean average precision as other people write it: each list must be an array."""
    return float(np.mean([s1.average_precision(held.astype(int)) for held in queries_relevances]))


def _of_named_columns(
    rating_true: Any, rating_pred: Any, col_user: str = "userID", col_item: str = "itemID",
    col_prediction: str = "prediction", k: int = 10,
) -> float:  # fmt: skip
    """It says of no column that it is missing, and makes one of ranks."""
    if not {col_user, col_item} <= {*rating_true.columns} or col_prediction not in rating_pred.columns:
        raise ValueError("missing columns")
    ranked = rating_pred.sort_values([col_user, col_prediction], ascending=[True, False])
    ranks = ranked[[col_user, col_item]].assign(rank=ranked.groupby(col_user).cumcount() + 1)
    hits = ranks.merge(rating_pred, on=[col_user, col_item]).merge(rating_true, on=[col_user, col_item])
    return float(
        (hits[hits["rank"] <= k].groupby(col_user).size() / k).sum() / rating_pred[col_user].nunique()
    )


def _of_records(ground_truth: list[Any], retrieved_documents: list[Any], k: int = 5) -> float:
    levels = {judged.get("document_id"): judged.get("relevance_label") for judged in ground_truth}
    ranked = sorted(retrieved_documents, key=lambda found: -(found.get("relevance_score") or 0))
    return sum((levels.get(found.get("document_id")) or 0) > 0 for found in ranked[:k]) / k


def _of_all_records(results: list[dict[str, Any]], ground_truth: dict[str, set[str]], k: int = 5) -> float:
    of_query: dict[str, list[tuple[float, str]]] = {}
    for found in results:
        of_query.setdefault(found["qid"], []).append((found["similarity"], found["corpus_id"]))
    best = {query: sorted(found, reverse=True)[:k] for query, found in of_query.items()}
    hits = [sum(d in ground_truth[q] for _, d in best[q]) / k for q in best if q in ground_truth]
    return sum(hits) / len(hits)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("function", "measure", "call"),
    [
        (
            _of_named_columns,
            "P@5",
            (
                "f(qrels_df(query='userID', docid='itemID'), "
                "results_df(query='userID', docid='itemID', rank=None, score='prediction'), k=k)"
            ),
        ),
        (
            _of_records,
            "P@5",
            (
                "f(dicts(judged_rows(docid='document_id', rel='relevance_label')), "
                "dicts(ranked_rows(docid='document_id', score='relevance_score')), k=k)"
            ),
        ),
        (s2.ndcg, "nDCG@5", "f(ranked_df, judged_df, 'docid', 'docid', 'rel', k=k)"),
        (
            _of_all_records,
            "P@5",
            (
                "f(dicts(results_rows(query='qid', docid='corpus_id', score='similarity')), "
                "by_query(relevant_ids), k=k)"
            ),
        ),
        (s2.mrr, "RR@5", "f(series(ranked_ids), relevant_ids, k=k)"),
        (_mean_over_arrays, "AP", "f(each(array(binary)))"),
    ],
)
def test_columns_and_arrays_are_handed_over(function, measure, call):
    """Frames of one query beside the names of their columns; a column; a list of arrays."""
    pytest.importorskip("pandas")
    made = finding_its_call(target_of(function, None))
    assert isinstance(made, FunctionOfMeasures)
    assert str(made.call_for(parse_measure(measure))) == call


def test_a_program_that_passes_files_runs(tmp_path):
    def of_three(run_path: str, qrels_path: str) -> dict[str, float]:
        return {query: value * 5 / 3 for query, value in _of_files(run_path, qrels_path).items()}

    call = "f(file(results_rows), file(qrels_rows))"
    example = audit(of_three, "P@5", call=call).counterexamples[0]
    *_, defined, called = example.python.partition("import os")
    (tmp_path / "qrels").write_text("mine", "utf-8")
    whole = f"from tests.auditing.test_finding import _of_files as f\n{defined}{called}"
    printed = python("-c", whole, cwd=tmp_path).stdout
    assert list(ast.literal_eval(printed).values()) == [pytest.approx(example.reference_value)]
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("qrels", "mine")]
