"""Fresh inputs of a case's own kind: the same ids, scores and levels, and no value seen before."""

import random
import re
from collections import Counter

import numpy as np
import pytest

from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.explain.fresh import FRESH, similar_inputs
from crosscheck.formats.dicts import qrels_from_columns, qrels_from_dict, run_from_dict
from crosscheck.model import Qrels, Run
from crosscheck.names import parse_measure
from crosscheck.studies.base import by_document
from tests.programs.real.runs import parts


def rows(table: Run | Qrels, values: np.ndarray) -> dict[bytes, list[tuple[bytes, float]]]:
    """Topic -> its documents with their scores or levels, in input order."""
    of = by_document(table, values)
    return {topic: list(of(topic).items()) for topic in table.topics}


def small(queries: int, seed: int = 0) -> tuple[Run, Qrels]:
    rng = random.Random(seed)
    names = [f"doc-{i:03}" for i in range(50)]
    run = {f"q{q:02}": {d: float(rng.randrange(5)) for d in rng.sample(names, 15)} for q in range(queries)}
    qrels = {
        q: {d: rng.choice([-1, 0, 1, 2]) for d in [*rng.sample(names, 10), *list(docs)[:6]]}
        for q, docs in run.items()
    }
    return run_from_dict(run), qrels_from_dict(qrels)


def kind(topic: bytes) -> str:
    """The id with one letter for all letters and one digit for all digits but 0."""
    return re.sub("[1-9]", "1", re.sub("[a-z]", "a", re.sub("[A-Z]", "A", topic.decode())))


@pytest.mark.parametrize("queries", [3, 24])
def test_they_are_made_of_the_case(queries):
    """Twenty inputs, the same each time. Each has documents, scores and levels of one query of the case: all
    levels, and nearly all lines."""
    run, qrels = small(queries)
    made = similar_inputs(run, qrels, run.topics[:2])
    again = similar_inputs(run, qrels, run.topics[:2])
    assert made.inputs == again.inputs
    assert rows(made.run, made.run.scores) == rows(again.run, again.run.scores)
    assert rows(made.qrels, made.qrels.rels) == rows(again.qrels, again.qrels.rels)
    assert len({topic for input in made.inputs for topic in input}) == len(made.inputs) == FRESH
    scores, levels = rows(run, run.scores), rows(qrels, qrels.rels)
    left = relabelled = 0
    for topic, found in rows(made.run, made.run.scores).items():
        judged = rows(made.qrels, made.qrels.rels)[topic]
        like = [
            t
            for t in run.topics
            if {d for d, _ in judged} == {d for d, _ in levels[t]}
            and {d for d, _ in found} <= {d for d, _ in scores[t]}
        ]
        assert len(like) == 1
        assert Counter(x for _, x in judged) == Counter(x for _, x in levels[like[0]])
        assert not Counter(x for _, x in found) - Counter(x for _, x in scores[like[0]])
        assert found != scores[like[0]]
        assert kind(topic) == kind(like[0]) or kind(topic).startswith(kind(like[0]))
        left += len(scores[like[0]]) - len(found)
        relabelled += judged != levels[like[0]]
    assert 0 < left < 0.2 * FRESH * 15
    assert relabelled > 0.5 * FRESH


def test_values_are_new():
    """Of a measure that looks at ranks, hardly any value is one of the query it was made from, and hardly any
    is 0."""
    run, qrels = small(24)
    made, measure = similar_inputs(run, qrels, ()), parse_measure("nDCG@10")
    ours = evaluate(Rankings(run, qrels), measure, Conventions()).values
    fresh = evaluate(Rankings(made.run, made.qrels), measure, Conventions()).values
    assert len(fresh) == FRESH
    assert np.isin(np.round(fresh, 9), np.round(ours, 9)).sum() <= 1
    assert (fresh > 0).sum() >= 18


def test_queries_that_differ_come_first():
    """Fourteen of the twenty are like these, or all where no others are."""
    run, qrels = small(60)
    telling = set(run.topics[::3])
    made = similar_inputs(run, qrels, telling)
    assert sum(input[0] in telling for input in made.inputs) == 14
    everything = similar_inputs(run, qrels, run.topics)
    assert all(input[0] in run.topics for input in everything.inputs)


def test_missing_and_unjudged_queries_and_odd_ids_stay_what_they_are():
    """Ids that a tool may take for one stay together, spelt alike; a document with the id of its query has
    the new one; a run without a query, and qrels without one, lack it again."""
    lines = {"d1": 3.0, "d2": 2.0, "d3": 1.0}
    run = run_from_dict({"Ab-07": lines, "ab-8": {**lines, "ab-8": 0.5}, "q9 ": lines})
    qrels = qrels_from_dict({"ab-07": {"d1": 1, "d2": 0}, "ab-8": {"ab-8": 1, "d1": 0}, "only": {"d1": 1}})
    made = similar_inputs(run, qrels, ())
    pairs = [input for input in made.inputs if len(input) == 2]
    assert len(pairs) >= 4
    for one, other in pairs:
        assert one.lower() == other.lower()
        assert kind(one)[:5] == "Aa-01"
        assert (one in made.run.topics, one in made.qrels.topics) == (True, False)
        assert (other in made.run.topics, other in made.qrels.topics) == (False, True)
    found, judged = rows(made.run, made.run.scores), rows(made.qrels, made.qrels.rels)
    own = [topic for topic in judged if topic in {d for d, _ in judged[topic]}]
    assert len(own) >= 4
    assert any(topic in {d for d, _ in found[topic]} for topic in own)
    assert not any(b"ab-8" in {d for d, _ in found[topic]} for topic in own if topic != b"ab-8")
    assert sum(topic not in judged and topic.endswith(b" ") for topic in found) >= 4
    assert sum(topic not in found and len(topic) >= 4 for topic in judged) >= 4


def test_subtopics_go_with_their_documents():
    """No level moves there, because it belongs to a subtopic."""
    judged = [("q", s, d, int((d + s) in ("as", "bt", "cs"))) for d in "abc" for s in "st"]
    columns = dict(zip(("query", "subtopic", "docid", "rel"), zip(*judged, strict=True), strict=True))
    qrels = qrels_from_columns(columns, needs="subtopics")
    made = similar_inputs(run_from_dict({"q": {"a": 2.0, "b": 1.0, "c": 0.5}}), qrels, ())
    assert made.qrels.subtopics is not None
    assert qrels.subtopics is not None
    assert len(made.qrels.subtopics.rels) == FRESH * len(qrels.subtopics.rels)
    for i in range(FRESH):
        assert made.qrels.rels[3 * i : 3 * i + 3].tolist() == qrels.rels.tolist()


def test_deep_runs():
    """Lists as long as those of the case, relevant documents near the top."""
    ((_, rankings),) = parts("made-deep")
    run, qrels = rankings.pairing.run, rankings.pairing.qrels
    made = similar_inputs(run, qrels, run.topics)
    lengths = np.diff(made.run.offsets)
    assert 0.7 * np.diff(run.offsets).min() < lengths.min()
    assert lengths.max() <= np.diff(run.offsets).max()
    measure = parse_measure("P@10")
    ours, fresh = (evaluate(Rankings(*of), measure, Conventions()).mean for of in ((run, qrels), made[:2]))
    assert ours is not None
    assert fresh is not None
    assert 0.4 * ours < fresh < 1.5 * ours
