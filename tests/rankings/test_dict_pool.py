"""A run that stays a dict is the run made from it."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crosscheck.axes.ties import ScorePrecision
from crosscheck.conventions import Conventions
from crosscheck.engine.streaming import DictRun, StreamedRankings, rankings_of
from crosscheck.errors import InputError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.rankings import dict_pool
from crosscheck.rankings.pairing import JudgedPool
from tests.engine.test_streaming import CONVENTIONS, outcome
from tests.support.kept import examples
from tests.support.strategies import qrels_and_run

POOL = JudgedPool(qrels_from_dict({"1": {"a": 1, "b": 0, "é": 2}, "2": {"c": 1}}))

#: A surrogate represents a byte, which sorts differently from its code point.
UNDECODABLE = {"1": {"\udcff": 1.0, "\U0001f600": 1.0, "é": 1.0, "a": 1.0}}


#: Those of few kinds, and usual ones, which have a way of their own.
SOME = CONVENTIONS | st.builds(Conventions, score_precision=st.sampled_from(ScorePrecision))


@given(qrels_and_run(), SOME, st.sampled_from([0, 90]))
@example(({"1": {"a": 1, "\U0001f600": 2}}, UNDECODABLE), Conventions(), 0)
def test_a_dict_is_the_run_made_from_it(given, conventions, more):
    """The same rankings under any conventions, with ties, float32 collisions, unjudged topics, and few judged
    documents among many."""
    qrels, run = given[0], {q: row | {f"u{i}": i % 4 / 2 for i in range(more)} for q, row in given[1].items()}
    pool = JudgedPool(qrels_from_dict(qrels))
    expected = outcome(lambda: Rankings(run_from_dict(run), pool), conventions)
    assert isinstance(rankings_of(DictRun(run), pool), StreamedRankings)
    assert outcome(lambda: rankings_of(DictRun(run), pool), conventions) == expected


def refused(run: Any) -> None:
    """What is wrong with a run, which the reader says as well."""
    with pytest.raises(InputError) as expected:
        run_from_dict(run)
    with pytest.raises(InputError, match=f"^{re.escape(str(expected.value))}$"):
        rankings_of(DictRun(run), POOL)
    raise expected.value


def read(run: Any) -> str:
    """How an unusual but valid run is read, and the ranks of its judged documents."""
    rankings = rankings_of(DictRun(run), POOL)
    return f"{type(rankings).__name__}: {rankings.judged(Conventions()).rank.tolist()}"


#: With the query, as far as it is known, and the value; of bad scores and topics, as by the reader.
test_what_is_wrong_is_named = examples(globals(), None, dict_pool)
