"""The values of the words of a call, made from qrels and a run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from ctypes import c_float
from dataclasses import dataclass
from typing import Any

from crosscheck.auditing.calls import Argument, Call, Collection, Constant, Converted, Word
from crosscheck.backends.texts import as_texts, topic_rows
from crosscheck.formats.dicts import text_encoding
from crosscheck.model import Measure, Qrels, Run

__all__ = ["Materials", "OneQuery", "handed", "made", "queries_of"]

#: The cutoff for a function that requires one if the measure has none.
NO_CUTOFF = 1000

_KINDS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set}


@dataclass(frozen=True, slots=True)
class Materials:
    """The data from which words are made.

    Attributes:
        level: lowest relevance level that counts as relevant.
    """

    qrels: Qrels
    run: Run
    measure: Measure
    level: int

    @property
    def topics(self) -> dict[str, bytes]:
        """Every topic of either side: topic as text -> topic id."""
        encoding = text_encoding(self.qrels, self.run)
        return {topic.decode(encoding): topic for topic in sorted({*self.qrels.topics, *self.run.topics})}

    def word(self, name: str) -> Any:
        """The value of a word for all queries; a new object each time."""
        match name:
            case "k":
                return NO_CUTOFF if self.measure.cutoff is None else self.measure.cutoff
            case "max_grade":
                return int(self.qrels.rels.max(initial=0))
            case "qrels":
                return as_texts(self.qrels, self.run).qrels
            case "run":
                return as_texts(self.qrels, self.run).run
            case "results_df":
                return _results_frame(self.qrels, self.run)
            case "qrels_df":
                return _qrels_frame(self.qrels, self.run)
        raise AssertionError(name)


@dataclass(frozen=True, slots=True)
class OneQuery:
    """One query, with its documents in the order that the call needs.

    Attributes:
        topic: its id; judged: docno -> level; docs: docnos; scores: their scores.
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
            case "gains" | "y_true":
                return levels
            case "binary":
                return [int(found >= level) for found in levels]
            case "ranked_ids":
                return list(self.docs)
            case "relevant_ids":
                return [docno for docno, found in self.judged.items() if found >= level]
            case "relevance":
                return dict(self.judged)
            case "scores" | "y_score":
                return list(self.scores)
            case "ranks":
                return [rank for rank, found in enumerate(levels, 1) if found >= level]
            case "num_rel":
                return sum(found >= level for found in self.judged.values())
        return self.materials.word(name)


def made(argument: Argument, source: Materials | OneQuery) -> Any:
    """The value of one argument of a call."""
    match argument:
        case Word(name):
            return source.word(name)
        case Constant(value):
            return value
        case Converted(kind, of):
            return _KINDS[kind](made(of, source))
        case Collection(kind, items):
            return _KINDS[kind](made(item, source) for item in items)


def handed(call: Call, materials: Materials) -> tuple[object, ...]:
    """Everything that a call hands over for an input, to be compared with what it does for another."""
    sources = queries_of(materials, call) if call.by_query else [materials]
    arguments = [*call.positional, *(value for _, value in call.keywords)]
    return tuple(_comparable(made(argument, source)) for source in sources for argument in arguments)


def _comparable(value: Any) -> object:
    """A value whose equality is that of its contents in their order."""
    if isinstance(value, dict):
        return tuple((key, _comparable(held)) for key, held in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_comparable, value))
    if hasattr(value, "itertuples"):
        return tuple(value.itertuples(index=False, name=None))
    return value


def queries_of(materials: Materials, call: Call) -> Iterator[OneQuery]:
    """The queries to call a metric with: those with judgements and results; if there are none, all.

    Documents are in trec_eval 9's order, or in the order of the run if the call passes scores.
    """
    qrels, run = materials.qrels, materials.run
    encoding = text_encoding(qrels, run)
    judged = {
        topic: dict(zip(_texts(qrels.docnos[rows], encoding), qrels.rels[rows].tolist(), strict=True))
        for topic, rows in topic_rows(qrels)
    }
    results = {
        topic: list(zip(_texts(run.docnos[rows], encoding), run.scores[rows].tolist(), strict=True))
        for topic, rows in topic_rows(run)
    }
    topics = judged.keys() & results.keys() or judged.keys() | results.keys()
    for topic in sorted(topics):
        lines = results.get(topic, [])
        if call.in_rank_order:
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


def _results_frame(qrels: Qrels, run: Run) -> Any:
    import pandas as pd

    encoding = text_encoding(qrels, run)
    rows = [
        (topic.decode(encoding), docno, rank, score)
        for topic, at in topic_rows(run)
        for docno, rank, score in zip(
            _texts(run.docnos[at], encoding), _ranks(run, at), run.scores[at].tolist(), strict=True
        )
    ]
    return pd.DataFrame(rows, columns=["query", "docid", "rank", "score"])


def _ranks(run: Run, rows: slice) -> list[int]:
    if run.ranks is None:
        return list(range(1, rows.stop - rows.start + 1))
    found: list[int] = run.ranks[rows].tolist()
    return found


def _qrels_frame(qrels: Qrels, run: Run) -> Any:
    import pandas as pd

    encoding = text_encoding(qrels, run)
    rows = [
        (topic.decode(encoding), docno, level)
        for topic, at in topic_rows(qrels)
        for docno, level in zip(_texts(qrels.docnos[at], encoding), qrels.rels[at].tolist(), strict=True)
    ]
    return pd.DataFrame(rows, columns=["query", "docid", "rel"])
