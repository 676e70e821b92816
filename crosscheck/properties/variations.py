"""Functions from a query to inputs whose values a property compares; some queries allow no such inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TypeAlias

from msgspec.structs import replace

from crosscheck.probes.probe import Probe, Query
from crosscheck.properties.inputs import Setting, alone, docnos_of, levels_of, ranked

__all__ = ["Inputs", "Variation"]

#: Inputs whose values are compared: in most cases one input, and the same input with one change.
Inputs: TypeAlias = tuple[Probe, ...]
Variation: TypeAlias = Callable[[Query, Setting], Iterator[Inputs]]

#: Above this cutoff, only queries of at most two results are filled up to the cutoff.
_LONG = 50
_BEYOND = ("beyond-1", "beyond-2", "beyond-3")


def itself(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query; the query with nonrelevant results only; for a metric that gives only a mean, also three
    queries at once."""
    yield (alone(query, setting),)
    yield (alone(_barren(query), setting),)
    if not setting.values:
        yield (_several({"1": query, "2": _apart(query), "3": _apart(_apart(query))}, None),)


def asked_again(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The same input twice, with and without tied documents."""
    for same in (query, _tied(query, 2), _tied(query, len(query.lines))):
        yield alone(same, setting), alone(same, setting)


def with_a_repeated_line(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with a relevant document repeated directly below itself or at the end."""
    docnos, judged = docnos_of(query), dict(query.judged)
    for i in islice(_relevant_places(query, setting), 3):
        for longer in ([*docnos[: i + 1], docnos[i], *docnos[i + 1 :]], [*docnos, docnos[i]]):
            yield alone(query, setting), alone(ranked(longer, judged), setting)


def with_a_better_one_up(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with a document moved above the one before it, which has a lower level."""
    docnos, levels = docnos_of(query), levels_of(query)
    better = [i for i in range(1, len(docnos)) if levels[docnos[i]] > levels[docnos[i - 1]]]
    for i in better[:6]:
        swapped = [*docnos[: i - 1], docnos[i], docnos[i - 1], *docnos[i + 1 :]]
        yield alone(query, setting), alone(ranked(swapped, dict(query.judged)), setting)


def with_another_found(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with a missed relevant document added at the end of its results."""
    docnos, judged = docnos_of(query), dict(query.judged)
    for docno, level in judged.items():
        if docno not in docnos and level >= setting.level:
            yield alone(query, setting), alone(ranked([*docnos, docno], judged), setting)


def longer_by_unjudged(query: Query, setting: Setting) -> Iterator[Inputs]:
    """A list that fills the cutoff, and the same list with unjudged documents added at its end."""
    docnos, judged = docnos_of(query), dict(query.judged)
    if setting.cutoff > _LONG and len(docnos) > 2:
        return
    filled = [*docnos, *(f"filler-{i}" for i in range(len(docnos), setting.cutoff))]
    for count in (1, len(_BEYOND)):
        yield (
            alone(ranked(filled, judged), setting),
            alone(ranked([*filled, *_BEYOND[:count]], judged), setting),
        )


def with_other_docnos(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with its docnos exchanged for each other or replaced by numbers."""
    names = sorted(levels_of(query))
    for others in (names[::-1], [str(101 + i) for i in range(len(names))]):
        name = dict(zip(names, others, strict=True))
        judged = {name[docno]: level for docno, level in query.judged}
        lines = tuple(replace(line, docno=name[line.docno]) for line in query.lines)
        yield alone(query, setting), alone(Query(tuple(judged.items()), lines), setting)


def with_lines_moved(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with the lines of run or qrels in another order, otherwise unchanged."""
    yield alone(query, setting), alone(replace(query, lines=query.lines[::-1]), setting)
    yield alone(query, setting), alone(replace(query, judged=query.judged[::-1]), setting)
    half = len(query.lines) // 2
    turned = query.lines[half:] + query.lines[:half]
    yield alone(query, setting), alone(replace(query, lines=turned), setting)


def with_tied_lines_moved(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query with tied documents, and the same with the lines of the run in reversed order."""
    for size in (2, len(query.lines)):
        tied = _tied(query, size)
        yield alone(tied, setting), alone(replace(tied, lines=tied.lines[::-1]), setting)


def with_other_scores(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with negative, tiny or huge scores in the same order."""
    for factor, less in ((1.0, 100.5), (1 / 1024, 0.0), (1e6, 0.0)):
        lines = tuple(replace(line, score=factor * line.score - less) for line in query.lines)
        yield alone(query, setting), alone(replace(query, lines=lines), setting)


def with_queries_swapped(query: Query, setting: Setting) -> Iterator[Inputs]:
    """Two queries, and the same two with their ids exchanged. The value that is compared is that of
    ``query``, under either id."""
    for other in (_contrary(query, setting), _apart(query)):
        yield (
            _several({"2": query, "10": other}, "2" if setting.values else None),
            _several({"2": other, "10": query}, "10" if setting.values else None),
        )


def beside_another_query(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query alone, and with another query before or after it, which has the same documents or others."""
    if setting.values:
        for other in (_contrary(query, setting), _barren(query), _apart(query)):
            for name in ("10", "3"):
                yield _several({"2": query}, "2"), _several({"2": query, name: other}, "2")


def two_and_their_mean(query: Query, setting: Setting) -> Iterator[Inputs]:
    """One query, another query, and both together, all read by their mean."""
    for other in (_apart(query), _apart(_contrary(query, setting)), _apart(_barren(query))):
        if setting.means:
            one, two = _several({"1": query}, None), _several({"2": other}, None)
            yield one, two, _several({"1": query, "2": other}, None)


def best_and_others(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The list of all relevant documents, highest level first, and another list of the same query."""
    levels, judged, docnos = levels_of(query), dict(query.judged), docnos_of(query)
    best = sorted((d for d, level in levels.items() if level >= setting.level), key=lambda d: -levels[d])
    others = (docnos, docnos[::-1], ["x", *best], best[:1], best[::-1])
    for other in others if best else ():
        yield alone(ranked(best, judged), setting), alone(ranked(other, judged), setting)


def worst_and_others(query: Query, setting: Setting) -> Iterator[Inputs]:
    """A list of as many documents as the query retrieves, all of level 0 or unjudged, and beside it the list
    of the query; then the same with the list of the query reversed."""
    docnos, judged = docnos_of(query), dict(query.judged)
    count = len(docnos)
    nonrelevant = [docno for docno, level in judged.items() if level == 0]
    worst = [*nonrelevant, *(f"filler-{i}" for i in range(1, count + 1))][:count]
    for other in (docnos, docnos[::-1]):
        yield alone(ranked(worst, judged), setting), alone(ranked(other, judged), setting)


def upside_down(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The ranking and its reverse."""
    yield (
        alone(query, setting),
        alone(ranked(docnos_of(query)[::-1], dict(query.judged)), setting),
    )


def with_scores_upside_down(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with its scores in reversed order but the same lines and rank column."""
    scores = [line.score for line in query.lines][::-1]
    lines = tuple(replace(line, score=score) for line, score in zip(query.lines, scores, strict=True))
    yield alone(query, setting), alone(replace(query, lines=lines), setting)


def with_a_higher_level(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with one of several relevant documents raised by two levels."""
    judged = dict(query.judged)
    relevant = [docno for docno, level in judged.items() if level >= setting.level]
    for docno in relevant[:2] if len(relevant) > 1 else ():
        higher = judged | {docno: judged[docno] + 2}
        yield alone(query, setting), alone(replace(query, judged=tuple(higher.items())), setting)


def with_more_missed(query: Query, setting: Setting) -> Iterator[Inputs]:
    """The query, and the query with further relevant documents that were not retrieved."""
    for count in (1, 3):
        missed = tuple((f"missed-{i}", setting.level + 2) for i in range(1, count + 1))
        yield alone(query, setting), alone(replace(query, judged=(*query.judged, *missed)), setting)


def _several(queries: Mapping[str, Query], reads: str | None) -> Probe:
    return Probe("", tuple(queries.items()), reads)


def _relevant_places(query: Query, setting: Setting) -> Iterator[int]:
    levels = levels_of(query)
    return (i for i, docno in enumerate(docnos_of(query)) if levels[docno] >= setting.level)


def _tied(query: Query, size: int) -> Query:
    """The query with its documents tied in groups of ``size``."""
    lines = (replace(line, score=100.0 - i // size) for i, line in enumerate(query.lines))
    return replace(query, lines=tuple(lines))


def _apart(query: Query) -> Query:
    """The same query with other docnos."""
    return Query(
        tuple((f"{docno}-", level) for docno, level in query.judged),
        tuple(replace(line, docno=f"{line.docno}-") for line in query.lines),
    )


def _contrary(query: Query, setting: Setting) -> Query:
    """The same documents, relevant ones judged 0 and the others relevant, and one more relevant result."""
    levels = levels_of(query)
    judged = {docno: 0 if level >= setting.level else setting.level for docno, level in levels.items()}
    return ranked([*docnos_of(query), "also"], {**judged, "also": setting.level})


def _barren(query: Query) -> Query:
    """The same results, all judged nonrelevant, and one relevant document that was not retrieved."""
    return replace(query, judged=(*((docno, 0) for docno in docnos_of(query)), ("missed", 1)))
