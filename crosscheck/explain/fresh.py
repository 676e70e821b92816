"""Fresh inputs similar to a case, on which the conventions of a diagnosis must predict a candidate's values.

A fresh query is made from a query of the case. It keeps the documents, the style of all ids, the scores with
their ties, the rank column, and the number of documents of each level. Documents are moved to other ranks,
deeper documents more than others; some levels are exchanged; some lines are left out. So everything that
matters in the case still matters, but the values are new. If the highest level of the case is 2 or 3, some
documents have one level more: on the case alone, "from level 2 on" and "exactly level 2" are the same.
"""

import math
import random
import re
import string
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, chain, cycle, islice
from typing import NamedTuple, TypeVar

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.ids import IDS, Ids
from crosscheck.errors import BackendError
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import with_matched_ids
from crosscheck.explain.evidence import Evidence
from crosscheck.formats.grouping import identifiers
from crosscheck.inputs.queries import written
from crosscheck.model import MeasureValues, Qrels, Run, display
from crosscheck.rankings.changed_inputs import with_rows
from crosscheck.rankings.pairing import Pairing
from crosscheck.results import Diagnosis, FreshInputs, Number, optional

#: Number of fresh inputs.
FRESH = 20
#: Maximum number of inputs that are made from differing queries of the case, if there are other queries.
_DIFFERING = 14
#: Standard deviation of the change of the logarithm of a document's rank.
_MOVED = 1.0
#: Share of lines that are left out; share of judged documents whose levels are shuffled.
_LEFT_OUT, _RELABELLED = 0.1, 0.3
#: Maximum number of lines per query.
_LONGEST = 2000
#: Maximum number of lines shown of an input that contradicts the diagnosis.
_SHOWN = 200

_Table = TypeVar("_Table", Run, Qrels)


class SimilarInputs(NamedTuple):
    """Fresh inputs, joined in one run and qrels.

    Attributes:
        inputs: the query ids of each input: a single id, or several ids that tools may treat as the same.
    """

    run: Run
    qrels: Qrels
    inputs: tuple[tuple[bytes, ...], ...]


class _Made(NamedTuple):
    """One fresh query in a run or qrels: its id, the rows of the case whose scores or levels it copies, and
    its docnos."""

    topic: bytes
    rows: list[int]
    docnos: list[bytes]


def similar_inputs(
    run: Run,
    qrels: Qrels,
    differing: Collection[bytes],
    *,
    ids: Ids = Ids.EXACT,
    rows: Callable[[frozenset[bytes]], Run] | None = None,
    raised: bool = False,
) -> SimilarInputs:
    """Make fresh inputs from the queries of a case; always the same for the same case.

    Args:
        differing: the queries on which the candidate differs; most inputs are made from these.
        ids: the rule by which a tool treats query ids as the same. Queries with such ids stay in one input.
        rows: function that returns the run with the rows of some topics, if ``run`` contains no rows.
        raised: whether, in every third query, every other document of the highest level of the case has one
            level more; see :func:`may_be_raised`.
    """
    rng = random.Random("kindred")
    topics = sorted({*run.topics, *qrels.topics})
    templates = _templates(topics, differing, ids)
    run = run if rows is None else rows(frozenset(chain.from_iterable(templates)))
    retrieved = {topic: i for i, topic in enumerate(run.topics)}
    judged = {topic: i for i, topic in enumerate(qrels.topics)}
    inputs: list[tuple[bytes, ...]] = []
    results, judgements = list[_Made](), list[_Made]()
    for named in _named(templates, topics, ids, rng):
        inputs.append(tuple(named.values()))
        for topic, name in named.items():
            if topic in retrieved:
                results.append(_results(run, retrieved[topic], topic, name, rng))
            if topic in judged:
                start, end = qrels.offsets[judged[topic] :][:2].tolist()
                docnos = [name if docno == topic else docno for docno in qrels.docnos[start:end].tolist()]
                judgements.append(_Made(name, list(range(start, end)), docnos))
    fresh_run, fresh_qrels = _joined(run, results), _joined(qrels, judgements)
    rels = fresh_qrels.rels
    if not qrels.subtopics:  # there a level belongs to a document and a subtopic, so levels are not shuffled
        levels = [row for made in judgements for row in _shuffled_levels(made.rows, rng)]
        rels = qrels.rels[np.array(levels, np.int64)]
        if raised:
            queries = np.repeat(np.arange(len(judgements)), [len(made.rows) for made in judgements])
            rels[np.flatnonzero((rels == qrels.rels.max(initial=0)) & (queries % 3 == 0))[::2]] += 1
    return SimilarInputs(
        replace(fresh_run, lines=np.arange(len(fresh_run.docnos)), source="the fresh run", notes=()),
        replace(fresh_qrels, rels=rels, source="the fresh qrels", notes=(), lines=None, preferences=None),
        tuple(inputs),
    )


def may_be_raised(qrels: Qrels) -> bool:
    """Whether some fresh levels may be above the highest level of a case. Of common scales 4 is the highest,
    and a level of 1 may stand for relevant."""
    return not qrels.subtopics and int(qrels.rels.max(initial=0)) in (2, 3)


def _form(topic: bytes, ids: Ids) -> bytes:
    """A form of a query id, which is equal for ids that the rule, or some tool, treats as the same."""
    return ids.of_query(topic).strip().lower().lstrip(b"+0")


def _templates(topics: Sequence[bytes], differing: Collection[bytes], ids: Ids) -> list[tuple[bytes, ...]]:
    """The ids of the queries from which inputs are made: differing and agreeing queries, each spread over the
    case. If there are too few, queries are used again."""
    groups: dict[bytes, list[bytes]] = {}
    for topic in topics:
        groups.setdefault(_form(topic, ids), []).append(topic)
    telling = [tuple(group) for group in groups.values() if not set(group).isdisjoint(differing)]
    others = [tuple(group) for group in groups.values() if set(group).isdisjoint(differing)]
    some = _spread(telling, max(_DIFFERING, FRESH - len(others)))
    chosen = [*some, *_spread(others, FRESH - len(some))]
    return list(islice(chain(chosen, cycle([*_spread(telling, FRESH), *chosen])), FRESH))


def _spread(groups: Sequence[tuple[bytes, ...]], number: int) -> list[tuple[bytes, ...]]:
    """At most ``number`` groups, at equal distances."""
    taken = min(len(groups), number)
    return [groups[i * len(groups) // taken] for i in range(taken)]


def _named(
    templates: Iterable[tuple[bytes, ...]], topics: Iterable[bytes], ids: Ids, rng: random.Random
) -> Iterator[dict[bytes, bytes]]:
    """Yield, for each group of ids that are the same to a tool: id of the case -> id of the fresh query.

    The new ids have different letters and digits, but a letter or digit at the same places. The first time
    that ids of the case are used, they are kept.
    """
    of_case, given = {_form(topic, ids) for topic in topics}, set[bytes]()
    for spellings in templates:
        names = dict(zip(spellings, spellings, strict=True))
        form, number = _form(spellings[0], ids), 0
        while form in given or (number and form in of_case):
            table, number = _translation(rng), number + 1
            names = {spelling: spelling.translate(table) for spelling in spellings}
            if number > 30:  # probably no id of this length is left
                names = {spelling: _longer(name, number - 30) for spelling, name in names.items()}
            form = _form(names[spellings[0]], ids)
        given.add(form)
        yield names


def _translation(rng: random.Random) -> bytes:
    """A random translation table of letters to letters, equal for capitals and small letters, and of digits
    from 1 to 9 to digits."""
    letters, digits = string.ascii_lowercase.encode(), string.digits[1:].encode()
    new_letters, new_digits = (bytes(rng.sample(of, len(of))) for of in (letters, digits))
    return bytes.maketrans(letters + letters.upper() + digits, new_letters + new_letters.upper() + new_digits)


def _longer(name: bytes, number: int) -> bytes:
    """An id with a number inserted after its last letter or digit."""
    last = re.search(rb"[0-9A-Za-z](?=[^0-9A-Za-z]*$)", name)
    end = last.end() if last else len(name)
    return name[:end] + b"%d" % number + name[end:]


def _results(run: Run, number: int, topic: bytes, name: bytes, rng: random.Random) -> _Made:
    """The fresh query in the run: the lines of a query, with its documents moved to other ranks."""
    start, end = run.offsets[number : number + 2].tolist()
    by_score = [start + i for i in np.argsort(-run.scores[start:end], kind="stable").tolist()][:_LONGEST]
    keys = [math.log(rank) + rng.gauss(0.0, _MOVED) for rank in range(1, len(by_score) + 1)]
    docno_at = dict(zip(by_score, (by_score[i] for i in np.argsort(keys).tolist()), strict=True))
    rows = sorted(by_score)
    kept = [row for row in rows if rng.random() >= _LEFT_OUT] or rows[:1]
    docnos = [bytes(run.docnos[docno_at[row]]) for row in kept]
    return _Made(name, kept, [name if docno == topic else docno for docno in docnos])


def _joined(table: _Table, queries: list[_Made]) -> _Table:
    """The run or qrels of the fresh queries, whose scores or levels are copied from ``table``."""
    queries.sort()
    rows = np.array([row for made in queries for row in made.rows], np.int64)
    offsets = np.array([0, *accumulate(len(made.rows) for made in queries)], np.int64)
    docnos = identifiers([docno for made in queries for docno in made.docnos])
    return with_rows(table, rows, offsets, tuple(made.topic for made in queries), docnos)


def _shuffled_levels(rows: list[int], rng: random.Random) -> list[int]:
    """Shuffle the levels of a random part of the rows. Entry i is the row whose level row i gets; most rows
    keep their own level."""
    chosen = [i for i in range(len(rows)) if rng.random() < _RELABELLED]
    source = list(rows)
    for i, row in zip(chosen, rng.sample([rows[i] for i in chosen], len(chosen)), strict=True):
        source[i] = row
    return source


def predicted(
    situation: Recomputer, inputs: tuple[tuple[bytes, ...], ...], answer: MeasureValues | BackendError
) -> FreshInputs:
    """Compare a candidate's values on fresh inputs with predictions: the number of inputs that conventions
    predict, and the smallest input that contradicts them.

    Args:
        situation: all fresh inputs, which were passed together, and the conventions of the diagnosis.
        inputs: the query ids of each input.
        answer: the candidate's values, or its error.
    """
    asked = len(inputs)
    if isinstance(answer, BackendError):
        return FreshInputs(asked=asked, met=0, failure=str(answer))
    topics, pairing = situation.topics, situation.rankings.pairing
    if respelt := with_matched_ids(answer, topics):
        # The candidate spells ids differently; with its ids respelt, the ids of the inputs need no rule.
        answer, situation = respelt[1], replace(situation, base=situation.base.having(IDS, Ids.EXACT))
    evidence = Evidence.of(situation, answer)
    sides = situation.evaluated(situation.base), evidence.observed
    cells, mean = evidence.given(situation.base)
    wrong = {topics[i]: i for i in np.flatnonzero(~cells).tolist()}
    lines = {ids: _lines(ids, pairing) for ids in inputs if not wrong.keys().isdisjoint(ids)}
    outcome = FreshInputs(asked=asked, met=asked - len(lines))
    if not lines:
        agrees = answer.mean is None or mean
        return outcome if agrees else replace(outcome, failure="the mean over all inputs is different")
    smallest = min(lines, key=lambda ids: sum(map(len, lines[ids])))
    query = next(topic for topic in smallest if topic in wrong)
    at = wrong[query]
    of_qrels, of_run = (some[:_SHOWN] for some in lines[smallest])
    expected, found = (optional(float(of.values[at]) if of.present[at] else None) for of in sides)
    return replace(outcome, query=display(query), expected=expected, found=found, qrels=of_qrels, run=of_run)


def with_fresh_inputs(diagnosis: Diagnosis, fresh: FreshInputs) -> Diagnosis:
    """The diagnosis with the result on fresh inputs. If fresh inputs do not confirm the diagnosis, its
    strength, or that of the recognised formula, becomes ``consistent``."""
    if fresh.met == fresh.asked and fresh.failure is None:
        clause = f"confirmed on {fresh.met} of {fresh.asked} fresh inputs"
        return with_clause(replace(diagnosis, fresh=fresh), clause)
    if fresh.query is not None:
        wrong = fresh.asked - fresh.met
        clause = (
            f"the conventions do not predict {wrong} of {fresh.asked} fresh inputs: query {fresh.query} has"
            f" {_text(fresh.found)} where they predict {_text(fresh.expected)}"
        )
    elif fresh.met:
        clause = f"the conventions predict {fresh.met} of {fresh.asked} fresh inputs, but {fresh.failure}"
    else:
        clause = f"the candidate failed on the fresh inputs: {fresh.failure}"
    if known := diagnosis.recognised:
        less = replace(diagnosis, recognised=replace(known, strength="consistent", doubt=clause))
    else:
        less = replace(diagnosis, strength="consistent")
    return with_clause(replace(less, fresh=fresh), clause)


def with_clause(diagnosis: Diagnosis, clause: str) -> Diagnosis:
    """The diagnosis with a further clause at the end of its explanation."""
    return replace(diagnosis, explanation=f"{diagnosis.explanation.removesuffix('.')}; {clause}.")


def _text(value: Number | None) -> str:
    return "no value" if value is None else str(value)


def _lines(topics: tuple[bytes, ...], pairing: Pairing) -> list[list[str]]:
    """The lines of qrels, and of the run, for some queries, as text."""

    def rows(of: Run | Qrels) -> Iterator[tuple[str, str, int]]:
        for i, topic in enumerate(of.topics):
            for row in range(*of.offsets[i : i + 2].tolist()) if topic in topics else ():
                yield display(topic), display(bytes(of.docnos[row])), row

    run, qrels = pairing.run, pairing.qrels
    ranks = np.arange(1, len(run.docnos) + 1) if run.ranks is None else run.ranks
    judged = ((topic, docno, int(qrels.rels[row])) for topic, docno, row in rows(qrels))
    ranked = ((topic, docno, int(ranks[row]), float(run.scores[row])) for topic, docno, row in rows(run))
    return [text.split("\n")[:-1] for text in written(judged, ranked, "fresh")]
