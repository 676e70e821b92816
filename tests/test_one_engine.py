"""The list functions, the frames and the metrics calculator give the numbers of the native measures."""

import inspect
import random
from collections.abc import Callable
from functools import partial
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

#: The highest level of the scale, for the ideal list that holds nothing else.
TOP = 4
TREC_EVAL = Conventions()


def values_of(axis):
    """All values of an axis, and some numbers of one that takes numbers."""
    least = -2 if axis.numbers is None or axis.numbers.least is None else axis.numbers.least
    return [*axis.values, *(range(least, least + 5) if axis.numbers else ())]


def rankings(seed):
    """Of four queries the levels of the documents that are retrieved, and of those judged beside them."""
    chance = random.Random(seed)

    def levels(longest):
        return [chance.choice((-1, 0, 0, 1, 2, TOP)) for _ in range(chance.randint(0, longest))]

    return [([*levels(12), 1], levels(6)) for _ in range(4)]


def native(lists, measure, conventions=TREC_EVAL):
    """The native measure of these rankings, written as dicts; a value per query."""
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for number, (found, other) in enumerate(lists):
        run[f"{number}"] = {f"d{rank}": -float(rank) for rank in range(len(found))}
        qrels[f"{number}"] = {f"d{rank}": level for rank, level in enumerate([*found, *other])}
    values = crosscheck.evaluate(qrels, run, [measure], conventions=conventions)
    return [values[query][measure] for query in run]


def shares(found, wanted) -> tuple[float, float]:
    return vectors.set_precision(found, wanted), vectors.set_recall(found, wanted)


#: A native measure, a function of lists or sets that is the same, and what it is given: the levels, a cutoff,
#: R, the docnos that were found, those that are relevant, and beta, which callers may have squared.
FUNCTIONS: list[tuple[str, Callable[..., float], str]] = [
    ("SetP", vectors.precision, "rel"),
    ("P@{k}", vectors.precision_at_k, "rel k r"),
    ("R@{k}", vectors.recall_at_k, "rel r k"),
    ("AP@{k}", vectors.average_precision, "rel r k"),
    ("AP", vectors.average_precision, "rel r"),
    ("Rprec", vectors.r_precision, "rel r"),
    ("RR", vectors.reciprocal_rank, "rel"),
    ("DCG", vectors.dcg, "rel"),
    ("DCG@{k}", vectors.dcg, "rel k"),
    ("ideal_dcg@{k}", vectors.ideal_dcg, "rel k"),
    ("nDCG", vectors.ndcg, "rel"),
    ("nDCG@{k}", vectors.ndcg, "rel k"),
    ("SetR", lambda rel, r: vectors.recall_at_k(rel, r), "rel r"),
    ("SetP", vectors.set_precision, "found wanted"),
    ("SetR", vectors.set_recall, "found wanted"),
    ("SetF(beta={beta})", vectors.set_f_beta, "found wanted beta"),
    (
        "SetF(beta={beta})",
        lambda found, wanted, beta: vectors.f_beta(*shares(found, wanted), beta),
        "found wanted beta",
    ),
    ("SetF(beta={squared})", partial(vectors.set_f_beta, weight="beta^2"), "found wanted beta"),
]


#: A list has whole levels, and does not say what is judged.
REFUSED = {("relevance_level", None), ("precision_denominator", "judged")}


def settings_of(function):
    """Every combination of the values of the axes that a function takes, the highest level apart."""
    parameters = inspect.signature(function).parameters
    taken = [axes()[name] for name in parameters if name in axes() and name != "max_grade"]
    pairs = ([(one.name, value) for value in values_of(one)] for one in taken)
    return [dict(chosen) for chosen in product(*pairs) if REFUSED.isdisjoint(chosen)]


@pytest.mark.parametrize(("measure", "function", "given"), FUNCTIONS)
def test_list_functions_equal_native_under_every_axis_they_take(measure, function, given):
    """Every value of every axis in the signature, all together: the same double."""
    every = settings_of(function)
    every *= 1 if len(every) > 1 else 8
    # 11 divides no number of values: pairs are still met.
    for seed, settings in enumerate(every[:: 11 if len(every) > 300 and not WHOLE else 1]):
        lists, k, beta = rankings(seed), 1 + seed % 15, (0.5, 1.0, 3.0)[seed % 3]
        conventions = Conventions(**settings)
        more: dict[str, Any] = {}
        if str(settings.get("ideal")).startswith("max-grade"):
            conventions, more = conventions.with_changes(max_grade=TOP), {"max_grade": TOP}
        level = max(settings.get("relevance_level", 1), 0)
        found = []
        for rel, other in lists:
            docnos = {f"d{rank}": judged for rank, judged in enumerate([*rel, *other])}
            wanted = [docno for docno, judged in docnos.items() if judged >= level]
            if "judged" in inspect.signature(function).parameters:
                more["judged"] = [*docnos.values()]
            values = {"rel": rel, "k": k, "r": len(wanted), "wanted": wanted, "beta": beta}
            values["found"] = [*docnos][: len(rel)]
            found.append(function(*(values[name] for name in given.split()), **settings, **more))
        name = measure.format(k=k, beta=beta, squared=beta**2)
        assert found == native(lists, name, conventions), (settings, k)


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
    for _ in range(150):
        retrieved = chance.choices(range(15), k=chance.randint(1, 14))
        expected = chance.sample(range(15), chance.randint(1, 6))
        places = [int(docno in expected) for docno in retrieved]
        once = [int(docno in expected and docno not in retrieved[:i]) for i, docno in enumerate(retrieved)]
        missed = [1] * (len(expected) - sum(once))
        asked = {"precision_at_3": ("P@3", places), "precision_at_5": ("P@5", places), "mrr": ("RR", places)}
        asked |= {"recall_at_10": ("R@10", once), "ndcg_at_10": ("nDCG@10", once)}
        assert MetricsCalculator.calculate_all(retrieved, expected, include_ndcg=True) == IRMetrics(
            **{name: native([(levels, missed)], measure)[0] for name, (measure, levels) in asked.items()},
            hits_in_top_3=sum(places[:3]),
            hits_in_top_5=sum(places[:5]),
            first_relevant_position=1 + places.index(1) if any(places) else None,
        )
        (value,) = native([(once, missed)], "nDCG@4")
        assert MetricsCalculator.ndcg_at_k(retrieved, expected, 4) == value
