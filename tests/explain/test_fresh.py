"""Fresh inputs of a case's own kind: the same ids, scores and levels, and no value seen before."""

import random
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from crosscheck.conventions import Conventions, conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import evaluate
from crosscheck.explain.fresh import FRESH, predicted, similar_inputs
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import MeasureValues, Qrels, Run
from crosscheck.names import parse_measure
from crosscheck.results import FreshInputs
from crosscheck.studies.base import by_document
from tests.programs.real.runs import parts
from tests.support.kept import Kept


def rows(table: Run | Qrels) -> dict[bytes, list[tuple[bytes, float]]]:
    """Topic -> its documents with their scores or levels, in input order."""
    of = by_document(table, table.scores if isinstance(table, Run) else table.rels)
    return {topic: list(of(topic).items()) for topic in table.topics}


def small(queries: int) -> tuple[Run, Qrels]:
    rng = random.Random(0)
    names = [f"doc-{i:03}" for i in range(50)]
    run = {f"q{q:02}": {d: float(rng.randrange(5)) for d in rng.sample(names, 15)} for q in range(queries)}
    qrels = {
        q: {d: rng.choice([-1, 0, 1, 2]) for d in [*rng.sample(names, 10), *list(docs)[:6]]}
        for q, docs in run.items()
    }
    return run_from_dict(run), qrels_from_dict(qrels)


def deep() -> tuple[Run, Qrels]:
    ((_, rankings),) = parts("made-deep")
    return rankings.pairing.run, rankings.pairing.qrels


def kind(topic: bytes) -> str:
    """The id with one letter for all letters and one digit for all digits but 0."""
    return re.sub("[1-9]", "1", re.sub("[a-z]", "a", re.sub("[A-Z]", "A", topic.decode())))


@pytest.mark.parametrize("queries", [3, 24])
def test_they_are_made_of_the_case(queries):
    """Twenty inputs, the same each time. Each has documents, scores and levels of one query of the case: all
    levels, and nearly all lines."""
    run, qrels = small(queries)
    made, again = (similar_inputs(run, qrels, run.topics[:2]) for _ in range(2))
    assert made.inputs == again.inputs
    found, judged = rows(made.run), rows(made.qrels)
    assert (found, judged) == (rows(again.run), rows(again.qrels))
    assert len({topic for input in made.inputs for topic in input}) == len(made.inputs) == FRESH
    scores, levels = rows(run), rows(qrels)
    left = relabelled = 0
    for topic, lines in found.items():
        (like,) = (
            t
            for t in run.topics
            if dict(judged[topic]).keys() == dict(levels[t]).keys()
            and dict(lines).keys() <= dict(scores[t]).keys()
        )
        assert Counter(x for _, x in judged[topic]) == Counter(x for _, x in levels[like])
        assert not Counter(x for _, x in lines) - Counter(x for _, x in scores[like])
        assert lines != scores[like]
        assert kind(topic).startswith(kind(like))
        left += len(scores[like]) - len(lines)
        relabelled += judged[topic] != levels[like]
    assert 0 < left < 0.2 * FRESH * 15
    assert relabelled > 0.5 * FRESH


def beside(case: tuple[Run, Qrels], measure: str) -> str:
    """What lists and values of the inputs are beside those of the case."""
    made = similar_inputs(*case, case[0].topics)
    ours, fresh = (evaluate(Rankings(*of), parse_measure(measure), Conventions()) for of in (case, made[:2]))
    lengths, usual = (np.diff(of.offsets) for of in (made.run, case[0]))
    known = np.isin(np.round(fresh.values, 9), np.round(ours.values, 9)).sum()
    return (
        f"lists of {lengths.min()} to {lengths.max()} documents for {usual.min()} to {usual.max()}; "
        f"mean {fresh.mean:.3f} for {ours.mean:.3f}; "
        f"of {len(fresh.values)} values {known} of the case, {(fresh.values > 0).sum()} above 0"
    )


def like(queries: int, step: int) -> str:
    """How many inputs are like the queries that differ, every so many of the case."""
    run, qrels = small(queries)
    made = similar_inputs(run, qrels, run.topics[::step])
    own = [input[0] in run.topics[::step] for input in made.inputs]
    return f"{sum(own)} of {len(own)} inputs, the first {own.index(False) if False in own else len(own)}"


def inputs(run: dict[str, dict[str, float]], qrels: dict[str, dict[str, Any]]) -> str:
    """Each input: what is judged and what is retrieved of its queries."""
    made = similar_inputs(run_from_dict(run), qrels_from_dict(qrels, needs="subtopics"), ())
    tables = {"judged": rows(made.qrels), "retrieved": rows(made.run)}

    def written(topic: bytes) -> str:
        sides = ((side, (f"{d.decode()} {of:g}" for d, of in t.get(topic, ()))) for side, t in tables.items())
        return f"{topic.decode()!r}: " + "; ".join(f"{side} {', '.join(of)}" for side, of in sides)

    lines = [" | ".join(map(written, of)) for of in made.inputs]
    if made.qrels.subtopics is not None:
        lines.append(f"{len(made.qrels.subtopics.rels)} judgements of subtopics")
    return "\n".join(lines)


def said_by(documents: int, name: str, value: float, base: str = "") -> FreshInputs:
    """What one input, whose first document is relevant, says of a candidate's value."""
    run, qrels = {"q": {f"d{i}": -float(i) for i in range(documents)}}, {"q": {"d0": 1}}
    under = conventions(base) if base else Conventions()
    rankings = Rankings(run_from_dict(run), qrels_from_dict(qrels))
    answer = MeasureValues({b"q": value}, None, "tool")
    return predicted(Recomputer(rankings, parse_measure(name), under), ((b"q",),), answer)


KEPT = Kept(__file__, within=(globals(),))
test_what_is_made_of_a_case = KEPT.test()
