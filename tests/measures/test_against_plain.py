"""Native measures that pytrec_eval cannot be asked for, against plain Python on random rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crosscheck.conventions import Conventions
from crosscheck.measures import family
from crosscheck.model import Measure, ParamValue
from crosscheck.rankings.judged import JudgedRankings
from tests.measures import plain
from tests.measures.plain import Topic

_LEVELS = st.sampled_from([-1, -1, -2, 0, 0, 1, 1, 2, 3, 5])
#: Ranking, and the levels of judged documents that were not retrieved.
_TOPICS = st.lists(
    st.tuples(st.lists(_LEVELS, max_size=25), st.lists(st.integers(0, 5), max_size=12)),
    min_size=1,
    max_size=4,
)
_GAIN = st.one_of(st.integers(-1, 9).map(float), st.sampled_from([0.5, 0.9, 0.25, 0.1, 1.5, 2.7, 1e-3]))
_PAIRS = st.lists(st.tuples(st.integers(-2, 6), _GAIN), min_size=1, max_size=4)
_POINTS = st.lists(
    st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, 1.2, -0.3]), min_size=1, max_size=5
)

Rows = Sequence[tuple[list[int], list[int]]]


def judged(rows: Rows) -> JudgedRankings:
    """The compact layout of rankings given as lists of levels (-1: no judgement, -2: a negative one)."""
    found = [(t, rank, rel) for t, (ranking, _) in enumerate(rows) for rank, rel in enumerate(ranking, 1)]
    hits = [(t, rank, -7 if rel == -2 else rel) for t, rank, rel in found if rel != -1]
    pool = [(t, rel) for t, (ranking, missed) in enumerate(rows) for rel in _pool(ranking, missed)]
    topic, rank, rel = (
        (np.array(column, np.int64) for column in zip(*hits, strict=True)) if hits else [_NONE] * 3
    )
    pool_topic, pool_rel = (np.array(c, np.int64) for c in zip(*pool, strict=True)) if pool else [_NONE] * 2
    num_ret = np.array([len(ranking) for ranking, _ in rows], np.int64)
    return JudgedRankings(
        num_topics=len(rows),
        num_ret=num_ret,
        topic=topic,
        rank=rank,
        rel=rel,
        pool_topic=pool_topic,
        pool_rel=pool_rel,
        max_rel=int(pool_rel.max(initial=0)),
    )


_NONE = np.zeros(0, np.int64)


def _pool(ranking: list[int], missed: list[int]) -> list[int]:
    return [-7 if rel == -2 else rel for rel in ranking if rel != -1] + missed


def native(
    rows: Rows, name: str, level: int = 1, way: str = "floor+0.9", **params: ParamValue
) -> list[float]:
    cutoff = params.pop("cutoff", None)
    assert cutoff is None or isinstance(cutoff, int)
    conventions = Conventions().with_changes(relevance_level=level, recall_points=way)
    measure = Measure(name, cutoff, params=tuple(sorted(params.items())))
    return list(family(name).compute(judged(rows), conventions, measure).tolist())


def topics(rows: Rows, level: int = 1) -> list[Topic]:
    return [Topic(ranking, _pool(ranking, missed), level) for ranking, missed in rows]


def assert_same(mine: list[float], theirs: list[float]) -> None:
    assert len(mine) == len(theirs)
    for one, other in zip(mine, theirs, strict=True):
        assert one == other or (math.isnan(one) and math.isnan(other)), (mine, theirs)


@given(_TOPICS, st.integers(-1, 3))
def test_yaap(rows: Rows, level: int) -> None:
    """yaap is the log odds of the sum of precisions; below level 0 it may have none (NaN)."""
    if level >= 0:
        assert_same(native(rows, "yaap", level), [plain.yaap(t) for t in topics(rows, level)])


@settings(max_examples=400)
@given(_TOPICS, _PAIRS)
def test_measures_with_custom_gains(rows: Rows, pairs: list[tuple[int, float]]) -> None:
    """Whole, fractional, negative and repeated gains, for unjudged documents too: trec_eval's table."""
    gains = tuple(pairs)
    every = topics(rows)
    assert_same(native(rows, "DCG", gains=gains), [plain.dcg(t, pairs) for t in every])
    assert_same(native(rows, "ideal_dcg", gains=gains), [plain.ideal_dcg(t, pairs) for t in every])
    assert_same(native(rows, "nDCG", gains=gains), [plain.ndcg(t, pairs) for t in every])
    assert_same(native(rows, "ndcg_rel", gains=gains), [plain.ndcg_rel(t, pairs) for t in every])
    assert_same(native(rows, "Rndcg", gains=gains), [plain.rndcg(t, pairs) for t in every])
    assert_same(native(rows, "G", gains=gains), [plain.g(t, pairs) for t in every])
    assert_same(native(rows, "rbp", gains=gains, p=0.7), [plain.rbp(t, 0.7, pairs) for t in every])


@given(_TOPICS, st.integers(1, 30))
def test_measures_on_levels_as_gains(rows: Rows, depth: int) -> None:
    """dcg, ideal_dcg, rbp and the others take the level itself as gain."""
    every = topics(rows)
    assert_same(native(rows, "DCG"), [plain.dcg(t) for t in every])
    assert_same(native(rows, "DCG", cutoff=depth), [plain.dcg(t, depth=depth) for t in every])
    assert_same(native(rows, "ideal_dcg"), [plain.ideal_dcg(t) for t in every])
    assert_same(native(rows, "rbp"), [plain.rbp(t, 0.9) for t in every])


@given(_TOPICS, st.sampled_from([0.9, 0.5, 0.95, 0.123]), st.integers(1, 30))
def test_what_unjudged_documents_could_add(rows: Rows, p: float, depth: int) -> None:
    """unj and rbp_resid count unjudged and negatively judged documents alike."""
    every = topics(rows)
    assert_same(native(rows, "unj", cutoff=depth), [plain.unj(t, depth) for t in every])
    assert_same(native(rows, "rbp_resid", p=p), [plain.rbp_resid(t, p) for t in every])


@given(_TOPICS, _POINTS, st.integers(0, 3))
def test_interpolated_precision(rows: Rows, points: list[float], level: int) -> None:
    """Both ways to turn a recall point into a number of documents, and lists in any order."""
    ways = {"floor+0.9": lambda p, r: int(p * r + 0.9), "round": _round_half_away}
    for way, needed in ways.items():
        every = [plain.interpolated(t, needed, points) for t in topics(rows, level)]
        average = []
        for values in every:
            total = 0.0
            for value in reversed(values):
                total += value
            average.append(total / len(points))
        assert_same(native(rows, "11pt_avg", level, way, points=tuple(points)), average)
        for point in points:
            alone = [plain.interpolated(t, needed, [point])[0] for t in topics(rows, level)]
            assert_same(native(rows, "IPrec", level, way, recall=point), alone)


def _round_half_away(point: float, number: int) -> int:
    exact = point * number
    below = math.floor(abs(exact))
    return int(math.copysign(below + (abs(exact) - below >= 0.5), exact))


@given(_TOPICS, st.sampled_from([0.2, 0.3, 0.7, 1.0, 1.5, 2.0, 0.0]), st.integers(0, 3))
def test_set_measures_with_parameters(rows: Rows, x: float, level: int) -> None:
    """Rprec_mult, set_F and utility with any parameter."""
    every = topics(rows, level)
    assert_same(native(rows, "Rprec_mult", level, multiple=x), [plain.rprec_mult(t, x) for t in every])
    assert_same(native(rows, "SetF", level, beta=x), [plain.set_f(t, x) for t in every])
    weights = (2.0, -0.5, x, 0.001)
    expected = [plain.utility(t, *weights, 1000) for t in every]
    assert_same(native(rows, "utility", level, coefficients=weights, N=1000.0), expected)
