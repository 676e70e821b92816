"""The list functions, the frames and the metrics calculator give the numbers of the native measures."""

import inspect
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import crosscheck
from crosscheck import vectors
from crosscheck.axes import axes
from crosscheck.benchmark_metrics import IRMetrics, MetricsCalculator
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_columns, run_from_columns
from crosscheck.frames import evaluate_frames
from crosscheck.names import parse_measure
from tests.support.sampling import WHOLE

QUERIES = 4
#: The highest level of the scale, for the ideal list that holds nothing else.
TOP = 4


def values_of(axis):
    """All values of an axis, and some numbers of one that takes numbers."""
    least = -2 if axis.numbers is None or axis.numbers.least is None else axis.numbers.least
    return [*axis.values, *(range(least, least + 5) if axis.numbers else ())]


def rankings(seed):
    """Levels of the documents that each query retrieves, and of those that are judged beside them."""
    chance = random.Random(seed)

    def levels(longest):
        return [chance.choice((-1, 0, 0, 1, 2, TOP)) for _ in range(chance.randint(0, longest))]

    return [[*levels(12), 1] for _ in range(QUERIES)], [levels(6) for _ in range(QUERIES)]


def native(retrieved, missed, measure, conventions):
    """The native measure of these rankings, written as dicts; a value per query."""
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for number, (found, other) in enumerate(zip(retrieved, missed, strict=True)):
        run[f"{number}"] = {f"d{rank}": -float(rank) for rank in range(len(found))}
        qrels[f"{number}"] = {f"d{rank}": level for rank, level in enumerate([*found, *other])}
    values = crosscheck.evaluate(qrels, run, [measure], conventions=conventions)
    return [values[query][measure] for query in run]


#: Each list function by the native measure that it is, called with a list, a cutoff, R and all levels.
FUNCTIONS: dict[str, tuple[Callable[..., float], Callable[..., tuple[Any, ...]]]] = {
    "SetP": (vectors.precision, lambda rel, k, r: (rel,)),
    "P@{k}": (vectors.precision_at_k, lambda rel, k, r: (rel, k, r)),
    "R@{k}": (vectors.recall_at_k, lambda rel, k, r: (rel, r, k)),
    "AP@{k}": (vectors.average_precision, lambda rel, k, r: (rel, r, k)),
    "AP": (vectors.average_precision, lambda rel, k, r: (rel, r)),
    "Rprec": (vectors.r_precision, lambda rel, k, r: (rel, r)),
    "RR": (vectors.reciprocal_rank, lambda rel, k, r: (rel,)),
    "DCG": (vectors.dcg, lambda rel, k, r: (rel,)),
    "DCG@{k}": (vectors.dcg, lambda rel, k, r: (rel, k)),
    "ideal_dcg@{k}": (vectors.ideal_dcg, lambda rel, k, r: (rel, k)),
    "nDCG": (vectors.ndcg, lambda rel, k, r: (rel,)),
    "nDCG@{k}": (vectors.ndcg, lambda rel, k, r: (rel, k)),
}


def settings_of(function):
    """Every combination of the values of the axes that a function takes, the highest level apart."""
    parameters = inspect.signature(function).parameters
    taken = [axes()[name] for name in parameters if name in axes() and name != "max_grade"]
    for values in product(*map(values_of, taken)):
        yield dict(zip((axis.name for axis in taken), values, strict=True))


@pytest.mark.parametrize("measure", FUNCTIONS)
def test_list_functions_equal_native_under_every_axis_they_take(measure):
    """Every value of every axis in the signature, all together: the same double."""
    function, arguments = FUNCTIONS[measure]
    every = list(settings_of(function))  # 11 divides no number of values: pairs are still met
    for seed, settings in enumerate(every[:: 11 if len(every) > 300 and not WHOLE else 1]):
        retrieved, missed = rankings(seed)
        k = 1 + seed % 15
        conventions = Conventions(**settings)
        more: dict[str, Any] = {}
        if str(settings.get("ideal")).startswith("max-grade"):
            conventions, more = conventions.with_changes(max_grade=TOP), {"max_grade": TOP}
        if settings.get("precision_denominator") == "judged":
            continue  # refused: see the next test
        if settings.get("relevance_level", 1) is None:
            continue  # lists have whole levels
        level = max(settings.get("relevance_level", 1), 0)
        found = []
        for rel, other in zip(retrieved, missed, strict=True):
            r = sum(judged >= level for judged in [*rel, *other])
            if "judged" in inspect.signature(function).parameters:
                more["judged"] = [*rel, *other]
            found.append(function(*arguments(rel, k, r), **settings, **more))
        assert found == native(retrieved, missed, measure.format(k=k), conventions), (settings, k)


def test_recall_of_the_whole_list_and_the_set_functions_equal_native():
    """Sets are rankings whose order does not matter; beta is trec_eval's, or squared by the caller."""
    retrieved, missed = rankings(0)
    sets = []
    for found, other in zip(retrieved, missed, strict=True):
        wanted = [f"d{rank}" for rank, level in enumerate([*found, *other]) if level >= 1]
        sets.append(([f"d{rank}" for rank in range(len(found))], wanted))
    spec = Conventions()
    assert [vectors.set_precision(*pair) for pair in sets] == native(retrieved, missed, "SetP", spec)
    recalls = native(retrieved, missed, "SetR", spec)
    assert [vectors.set_recall(*pair) for pair in sets] == recalls
    lists = zip(retrieved, sets, strict=True)
    assert [vectors.recall_at_k(rel, len(wanted)) for rel, (_, wanted) in lists] == recalls
    for beta in (0.5, 1.0, 3.0):
        expected = native(retrieved, missed, f"SetF(beta={beta})", spec)
        assert [vectors.set_f_beta(*pair, beta) for pair in sets] == expected
        shares = [(vectors.set_precision(*pair), vectors.set_recall(*pair)) for pair in sets]
        assert [vectors.f_beta(*pair, beta) for pair in shares] == expected
        squared = native(retrieved, missed, f"SetF(beta={beta**2})", spec)
        assert [vectors.set_f_beta(*pair, beta, weight="beta^2") for pair in sets] == squared


def frames(seed):
    """Results with ties and contradicting ranks, and judgements, of queries that the other lacks at times."""
    chance = random.Random(seed)
    retrieved: list[tuple[Any, ...]] = []
    judged: list[tuple[Any, ...]] = []
    for query in ("q1", "Q1", "q2", "q3", "04", "4"):
        if chance.random() < 0.85:
            docnos = chance.sample("abcdefghABC", chance.randint(1, 9))
            for docno, rank in zip(docnos, chance.sample(range(20), len(docnos)), strict=True):
                retrieved.append((query, docno, rank, chance.choice((0.5, 1.0, 2.0, 1.0 + 2**-30))))
        if chance.random() < 0.85:
            docnos = chance.sample("abcdefghABC", chance.randint(1, 6))
            judged += [(query, docno, chance.choice((-1, 0, 0, 1, 2, 3))) for docno in docnos]
    names = ("query", "docid", "rank", "score"), ("query", "docid", "rel")
    columns = (map(list, zip(*rows, strict=True)) for rows in (retrieved, judged))
    return [dict(zip(*of, strict=True)) for of in zip(names, columns, strict=True)]


COLUMNS = {"P@2": "P@2", "R@2": "R@2", "MRR@2": "RR@2", "nDCG@2": "nDCG@2"}
COLUMNS |= {"P": "SetP", "R": "SetR", "MRR": "RR", "nDCG": "nDCG"}


@pytest.mark.parametrize("axis", axes().values(), ids=lambda axis: str(axis.name))
def test_frames_equal_native_under_every_axis(axis):
    """Every value of every axis: the same doubles and means for the same queries, or the same error."""
    for value, seed in product(values_of(axis), range(3)):
        conventions = Conventions(**{axis.name: value})
        results, qrels = frames(seed)
        read = Rankings(run_from_columns(results), qrels_from_columns(qrels))
        try:
            found = evaluate_frames(results, qrels, [2, None], conventions=conventions)
        except CrosscheckError as refused:
            with pytest.raises(type(refused)):
                [evaluate(read, parse_measure(measure), conventions) for measure in COLUMNS.values()]
            continue
        queries = [query.encode() for query in found.per_query["query"]]
        for column, measure in COLUMNS.items():
            expected = evaluate(read, parse_measure(measure), conventions)
            every = zip(read.pairing.all_topics, expected.values.tolist(), expected.present, strict=True)
            wanted = {topic: value for topic, value, present in every if present}
            cells = zip(queries, found.per_query[column], strict=True)
            held = {query: cell for query, cell in cells if cell is not None}
            assert repr(sorted(held.items())) == repr(sorted(wanted.items())), (value, column)
            mean = found.summary[column][found.summary["statistic"].index("mean")]
            assert repr(mean) == repr(expected.mean), (value, column)


def test_the_calculator_equals_native():
    """All numbers of a query, also where ids occur twice: precision counts places, recall and nDCG ids."""
    chance = random.Random(0)
    ids = [f"d{number}" for number in range(15)]
    for _ in range(150):
        retrieved = [chance.choice(ids) for _ in range(chance.randint(1, 14))]
        expected = chance.sample(ids, chance.randint(1, 6))
        found = MetricsCalculator.calculate_all(retrieved, expected, include_ndcg=True)
        places = [int(docno in expected) for docno in retrieved]
        once = [int(docno in expected and docno not in retrieved[:i]) for i, docno in enumerate(retrieved)]
        missed = [1] * (len(expected) - sum(once))

        def value(measure, levels, missed=missed):
            return native([levels], [missed], measure, Conventions())[0]

        hits = [rank for rank, level in enumerate(places, 1) if level]
        assert found == IRMetrics(
            precision_at_3=value("P@3", places),
            precision_at_5=value("P@5", places),
            recall_at_10=value("R@10", once),
            mrr=value("RR", places),
            ndcg_at_10=value("nDCG@10", once),
            hits_in_top_3=sum(places[:3]),
            hits_in_top_5=sum(places[:5]),
            first_relevant_position=hits[0] if hits else None,
        )
        assert MetricsCalculator.ndcg_at_k(retrieved, expected, 4) == value("nDCG@4", once)
