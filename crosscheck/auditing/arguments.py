"""The values of the words of a call (see :data:`~crosscheck.auditing.calls.WORDS`), from qrels and a run."""

from __future__ import annotations

import inspect
import math
from collections import namedtuple
from collections.abc import Awaitable, Hashable, Iterable, Iterator, Mapping
from ctypes import c_float
from dataclasses import dataclass
from functools import cache
from typing import Any

from crosscheck.auditing.calls import (
    COLUMNS,
    OVER_QUERIES,
    ROWS,
    Argument,
    Call,
    Collection,
    Constant,
    Converted,
    Word,
    words_of,
)
from crosscheck.backends.texts import qrels_as_texts, run_as_texts, topic_rows
from crosscheck.formats.dicts import text_encoding
from crosscheck.model import Measure, Qrels, Run
from crosscheck.names.spelling import spelt

__all__ = ["Materials", "OneQuery", "as_python", "handed", "made", "record_types", "returned_by"]

#: The cutoff for a function that requires one if the measure has none: longer than any list.
NO_CUTOFF = 10_000

_KINDS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set}
#: Words about the judgements of a query, which have a value even if the query has no results.
_OF_JUDGEMENTS = frozenset({"relevant_ids", "relevance", "judged_gains", "num_rel"})


@dataclass(frozen=True, slots=True)
class Materials:
    """The data from which words are made.

    Attributes:
        call: the call that the words are made for.
    """

    qrels: Qrels
    run: Run
    measure: Measure
    call: Call

    @property
    def level(self) -> int:
        """The lowest relevance level that counts as relevant."""
        return 1 if self.measure.rel is None else self.measure.rel

    @property
    def name(self) -> str:
        """The name of the measure that the call passes, empty if it passes none."""
        return next((spelt(one, self.measure) for one in self.call.spellings), "")

    @property
    def encoding(self) -> str:
        """The encoding of all ids."""
        return text_encoding(self.qrels, self.run)

    @property
    def topics(self) -> dict[str, bytes]:
        """Every topic of qrels or run: topic as text -> topic id."""
        names = sorted({*self.qrels.topics, *self.run.topics})
        return {topic.decode(self.encoding): topic for topic in names}

    @property
    def sources(self) -> list[Materials] | list[OneQuery]:
        """The data for each call of the function: one query, or all queries."""
        return self.queries if self.call.by_query else [self]

    @property
    def queries(self) -> list[OneQuery]:
        """The queries to call a metric with: those with judgements and results; if there are none, all."""
        every = list(_queries(self))
        return [query for query in every if query.judged and query.docs] or every

    def word(self, name: str) -> Any:
        """The value of a word for all queries; a new object each time."""
        match name:
            case "k":
                return NO_CUTOFF if self.measure.cutoff is None else self.measure.cutoff
            case "measure":
                return self.measure
            case "max_grade":
                return int(self.qrels.rels.max(initial=0))
            case "qrels":
                return qrels_as_texts(self.qrels, self.encoding)
            case "run":
                return run_as_texts(self.run, self.encoding)
            case "results_df":
                return _frame(name, _results(self.run, self.encoding))
            case "qrels_df":
                return _frame(name, _judgements(self.qrels, self.encoding))
            case "labelled_df":
                judged = qrels_as_texts(self.qrels, self.encoding)
                rows = _results(self.run, self.encoding)
                return _frame(name, ((*r, judged[r[0]].get(r[1], 0)) for r in rows if r[0] in judged))
            case "results_rows":
                return [(*about, score) for *about, _, score in _results(self.run, self.encoding)]
            case "qrels_rows":
                return list(_judgements(self.qrels, self.encoding))
        raise AssertionError(name)

    def converted(self, kind: str, of: Argument) -> Any:
        """The value of a conversion of an argument; ``each`` and ``by_query`` cover all queries."""
        match kind:
            case "each":
                return [made(of, query) for query in self.queries]
            case "by_query":
                judged = not words_of(of).isdisjoint(_OF_JUDGEMENTS)
                named = {topic: name for name, topic in self.topics.items()}
                return {
                    named[query.topic]: made(of, query)
                    for query in _queries(self)
                    if (query.judged if judged else query.docs)
                }
        return converted(kind, made(of, self))


@dataclass(frozen=True, slots=True)
class OneQuery:
    """One query, with its documents in the order that the call needs.

    Attributes:
        topic: id of the query; judged: docno -> level; docs: retrieved docnos; scores: score of each of them.
    """

    materials: Materials
    topic: bytes
    judged: dict[str, int]
    docs: list[str]
    scores: list[float]

    def word(self, name: str) -> Any:
        """The value of a word; a new object each time."""
        level = self.materials.level
        levels = [max(self.judged.get(docno, 0), 0) for docno in self.docs]
        match name:
            case "query":
                return self.topic.decode(self.materials.encoding)
            case "gains" | "y_true":
                return levels
            case "binary":
                return [int(found >= level) for found in levels]
            case "ranked_ids":
                return list(self.docs)
            case "judged_gains":
                return sorted((max(found, 0) for found in self.judged.values()), reverse=True)
            case "relevant_ids":
                return [docno for docno, found in self.judged.items() if found >= level]
            case "relevance":
                return dict(self.judged)
            case "scored":
                return dict(zip(self.docs, self.scores, strict=True))
            case "scores" | "y_score":
                return list(self.scores)
            case "ranks":
                return [rank for rank, found in enumerate(levels, 1) if found >= level]
            case "num_rel":
                return sum(found >= level for found in self.judged.values())
            case "num_ret":
                return len(self.docs)
            case "ranked_df" | "judged_df":
                return self._rows_of("results_df" if name == "ranked_df" else "qrels_df")
            case "ranked_rows":
                return list(zip(self.docs, self.scores, strict=True))
            case "judged_rows":
                return list(self.judged.items())
            case "labelled_rows":
                return list(zip(self.docs, self.scores, levels, strict=True))
        return self.materials.word(name)

    def _rows_of(self, frame: str) -> Any:
        """The rows of this query in a frame of all queries."""
        rows, encoding = self.materials.word(frame), self.materials.encoding
        found = rows[rows["query"] == self.topic.decode(encoding)]
        return found.drop(columns="query").reset_index(drop=True)

    def converted(self, kind: str, of: Argument) -> Any:
        """The value of a conversion of an argument; ``each`` and ``by_query`` cover all queries."""
        return self.materials.converted(kind, of) if kind in OVER_QUERIES else converted(kind, made(of, self))


def made(argument: Argument, source: Materials | OneQuery) -> Any:
    """The value of one argument of a call."""
    match argument:
        case Word(word) | Converted(word) if word in ROWS:
            record = _record(word, _names(argument))
            return [record(*row) for row in source.word(word)]
        case Converted("dicts", (Word(word) | Converted(word)) as of) if word in ROWS:
            return [dict(zip(_names(of), row, strict=True)) for row in source.word(word)]
        case Word("measure", template):
            return spelt(template, source.word("measure"))
        case Word(name):
            return source.word(name)
        case Constant(value):
            return value
        case Converted(_, of, columns) if columns:
            return made(of, source).rename(columns=dict(columns))
        case Converted(kind, of):
            return source.converted(kind, of)
        case Collection(kind, items):
            return _KINDS[kind](made(item, source) for item in items)


def returned_by(function: Any, call: Call, source: Materials | OneQuery) -> Any:
    """The value that the call picks from the result of the function."""
    value = function
    for number, step in enumerate(call.steps, 1):
        asked = value if step.method is None else getattr(value, step.method)
        positional = [made(argument, source) for argument in step.positional]
        got = asked(*positional, **{name: made(argument, source) for name, argument in step.keywords})
        value = value if got is None and number < len(call.steps) else got
    if inspect.isawaitable(value):
        import asyncio

        value = asyncio.run(_awaited(value))
    for pick in call.picks:
        value = getattr(value, str(pick.key)) if pick.attribute else value[pick.key]
    return value


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def converted(kind: str, value: Any) -> Any:
    """A value as another kind of object."""
    match kind:
        case "items":
            return list(value.items())
        case "array":
            import numpy as np

            return np.array(value)
        case "tensor":
            import torch  # type: ignore[import-not-found]

            return torch.tensor(value)
        case "series":
            import pandas as pd

            return pd.Series(value)
    return _KINDS[kind](value)


def record_types(call: Call) -> list[str]:
    """Lines of Python that define the types of the named tuples in :func:`as_python`."""
    lines: list[str] = []
    for argument in call.arguments:
        match argument:
            case Word(word) | Converted(word) if word in ROWS:
                names = _names(argument)
                name = _record(word, names).__name__
                lines.append(f"{name} = namedtuple({name!r}, {list(names)}, rename=True)")
    return ["from collections import namedtuple", *lines] if lines else []


def as_python(argument: Argument, source: Materials | OneQuery) -> str:
    """The value of an argument as a Python expression; numpy, torch and pandas objects as ``array(...)``,
    ``tensor(...)``, ``Series(...)`` and ``DataFrame(...)``."""
    match argument:
        case Converted(("array" | "tensor" | "series") as kind, of):
            return f"{kind.replace('series', 'Series')}({as_python(of, source)})"
        case Collection("list", items):
            return f"[{', '.join(as_python(item, source) for item in items)}]"
    value = made(argument, source)
    return f"DataFrame({value.to_dict('list')!r})" if hasattr(value, "to_dict") else repr(value)


def handed(materials: Materials) -> tuple[tuple[Hashable, ...], ...]:
    """The arguments of each call of the function for an input, in a form that can be compared."""
    arguments = materials.call.arguments
    return tuple(tuple(_comparable(made(a, source)) for a in arguments) for source in materials.sources)


def _comparable(value: Any) -> Hashable:
    """A hashable form of a value; two forms are equal if contents and order are equal."""
    if isinstance(value, Mapping):
        return tuple((key, _comparable(held)) for key, held in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_comparable, value))
    if hasattr(value, "itertuples"):
        return tuple(value.itertuples(index=False, name=None))
    if isinstance(value, set):
        return frozenset(value)
    return _comparable(value.tolist()) if hasattr(value, "tolist") else value


def _queries(materials: Materials) -> Iterator[OneQuery]:
    """Every query of qrels or run, in byte order.

    Documents are in trec_eval 9's order, or in the order of the run if the call passes scores other than in
    lists of pairs.
    """
    qrels, run, encoding = materials.qrels, materials.run, materials.encoding
    judged = {
        topic: dict(zip(_texts(qrels.docnos[rows], encoding), qrels.rels[rows].tolist(), strict=True))
        for topic, rows in topic_rows(qrels)
    }
    results = {
        topic: list(zip(_texts(run.docnos[rows], encoding), run.scores[rows].tolist(), strict=True))
        for topic, rows in topic_rows(run)
    }
    for topic in sorted(judged.keys() | results.keys()):
        lines = results.get(topic, [])
        if materials.call.in_rank_order:
            lines = sorted(lines, key=lambda line: line[0].encode(encoding), reverse=True)
            lines.sort(key=lambda line: _place(line[1]))
        yield OneQuery(
            materials,
            topic,
            judged.get(topic, {}),
            [docno for docno, _ in lines],
            [score for _, score in lines],
        )


def _place(score: float) -> float:
    """Sort key of a score: single precision, highest first, NaN last."""
    single = c_float(score).value
    return math.inf if math.isnan(single) else -single


def _texts(docnos: Any, encoding: str) -> list[str]:
    return [docno.decode(encoding) for docno in docnos.tolist()]


def _results(run: Run, encoding: str) -> Iterator[tuple[str, str, int, float]]:
    """Query, docno, rank and score of each row of the run."""
    for topic, at in topic_rows(run):
        rows = zip(_texts(run.docnos[at], encoding), _ranks(run, at), run.scores[at].tolist(), strict=True)
        yield from ((topic.decode(encoding), *row) for row in rows)


def _ranks(run: Run, rows: slice) -> list[int]:
    if run.ranks is None:
        return list(range(1, rows.stop - rows.start + 1))
    found: list[int] = run.ranks[rows].tolist()
    return found


def _judgements(qrels: Qrels, encoding: str) -> Iterator[tuple[str, str, int]]:
    """Query, docno and level of each judgement."""
    for topic, at in topic_rows(qrels):
        rows = zip(_texts(qrels.docnos[at], encoding), qrels.rels[at].tolist(), strict=True)
        yield from ((topic.decode(encoding), *row) for row in rows)


def _frame(word: str, rows: Iterable[tuple[Any, ...]]) -> Any:
    import pandas as pd

    return pd.DataFrame(rows, columns=list(COLUMNS[word]))


def _names(table: Word | Converted) -> tuple[str, ...]:
    """The names of the columns of a table in a call."""
    word, renamed = (table.name, {}) if isinstance(table, Word) else (table.kind, dict(table.columns))
    return tuple(renamed.get(column, column) for column in COLUMNS[word])


@cache
def _record(word: str, names: tuple[str, ...]) -> Any:
    """The type of the named tuples for rows; a column has no name if its name is no identifier."""
    return namedtuple("Result" if "score" in COLUMNS[word] else "Qrel", names, rename=True)
