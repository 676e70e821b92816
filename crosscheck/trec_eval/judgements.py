"""Judgements in the formats of ``-R``, and the measures that are computed from them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np

from crosscheck.axes.forms import RecallPoints
from crosscheck.axes.judging import Unjudged
from crosscheck.axes.ties import SCORE_PRECISION, ScorePrecision
from crosscheck.conventions import Conventions
from crosscheck.errors import quoted
from crosscheck.evaluation.formula import score_as_read
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import FloatArray, Measure, Qrels, Run, display
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.pairing import JudgedPool, Pairing
from crosscheck.rankings.subset import only_run
from crosscheck.trec_eval.failure import TrecEvalError
from crosscheck.trec_eval.input_files import read_results, stream_results
from crosscheck.trec_eval.nan_and_duplicates import (
    cut_topics_with_duplicates,
    duplicates,
    with_nan_scores_ordered,
)
from crosscheck.trec_eval.options import Options
from crosscheck.trec_eval.parameters import Column
from crosscheck.trec_eval.table import Filled
from crosscheck.trec_eval.topics import placeholders

__all__ = ["Judgements", "Refusal", "conventions_of", "relstrings"]

#: The first topic that cannot be evaluated, and the reason.
Refusal: TypeAlias = tuple[bytes, TrecEvalError]

#: The part of the C program that finds a document twice in the run.
_READERS = {"qrels": "form_res_qrels", "qrels_jg": "form_res_qrels", "prefs": "form_prefs_counts"}
_ANY_PREFERENCE = Measure("prefs_simp")


def conventions_of(options: Options) -> Conventions:
    """The version's conventions with ``-l``, ``-M`` and ``-J``."""
    ten = options.version == "10.0"
    return Conventions(
        score_precision=ScorePrecision.FLOAT64 if ten else ScorePrecision.FLOAT32,
        recall_points=RecallPoints.ROUND if ten else RecallPoints.FLOOR,
        relevance_level=options.level,
        depth=options.depth,
        unjudged=Unjudged.REMOVED if options.judged_only else Unjudged.NONRELEVANT,
    )


class Judgements:
    """Judgements in one of the formats of ``-R``, for evaluating a run.

    Attributes:
        needs: the kind of judgements, ``qrels``, ``qrels_jg`` or ``prefs``; measures that need another kind
            cannot be computed.
    """

    def __init__(self, qrels: Qrels, needs: str) -> None:
        self.qrels, self.needs = qrels, needs
        self._pool = JudgedPool(qrels)
        self._ranked: tuple[tuple[bytes, ...], Rankings] | None = None
        self._streamed: Rankings | None = None

    @property
    def topics(self) -> tuple[bytes, ...]:
        """Judged topics in byte order."""
        return self.qrels.topics

    @property
    def relevant(self) -> int:
        """Number of positive judgements in the whole file, the sum of ``num_rel`` under ``-c``."""
        return int((self.qrels.rels > 0).sum())

    def read_run(self, options: Options) -> Run:
        """The run. If its file can be streamed, it holds no rows, and its judged documents are kept here."""
        if self.needs == "qrels":
            conventions = conventions_of(options)
            self._streamed = stream_results(options.run, options.version, self._pool, conventions)
        if self._streamed is not None:
            return self._streamed.pairing.run
        return _rankable_run(options, ascending=self.needs == "prefs")

    def spelling(self, run: Run) -> tuple[str, ...]:
        """Sentences about ids of the run that only look like judged ones."""
        pairing = Pairing.of(run, self._pool) if self._streamed is None else self._streamed.pairing
        return pairing.spelling

    def refused(self, run: Run, topics: Sequence[bytes], options: Options) -> Refusal | None:
        """The first of the topics that trec_eval refuses to evaluate, and the error; None if there is none.

        trec_eval refuses a topic with a document twice in the run or in the judgements, or with contradicting
        preferences. It also refuses the very first topic if all judgements of that topic are negative.
        """
        found: dict[bytes, TrecEvalError] = {}
        wanted = set(topics)
        if self.needs == "qrels":
            if first := _all_negative(self.qrels, topics[0]):
                found[topics[0]] = first
            found |= _repeated(self.qrels, wanted, "form_res_rels")
        if self._streamed is None:  # runs with duplicates are not streamed
            found |= _repeated(run, wanted, _READERS[self.needs])
        if self.needs == "prefs":
            from crosscheck.measures.preferences import ContradictionError

            before = [topic for topic in topics if topic < min(found, default=topic + b"\0")]
            there = set(run.topics)
            missing = [topic for topic in before if topic not in there]
            parts = (run, [t for t in before if t in there]), (placeholders(missing, run.tag), missing)
            for part, of in parts:
                try:
                    self._scores(part, of, _ANY_PREFERENCE, options)
                except ContradictionError as error:
                    found[error.topic] = TrecEvalError(4, problem=error)
        return min(found.items(), key=lambda item: item[0], default=None)

    def computed(
        self, run: Run, topics: Sequence[bytes], columns: Sequence[Column], options: Options
    ) -> list[Filled]:
        """The values of all columns for these topics, all of which are in the run and judged.

        NaN is C's result of 0 / 0, whose sign is negative on x86.
        """

        def values(column: Column) -> FloatArray | list[bytes]:
            if column.about.name == "relstring":
                rankings = self._rankings(run, topics)
                texts = relstrings(rankings.judged(conventions_of(options)), column.length)
                return [texts[i] for i in _places(rankings, topics)]
            if column.measure is None:
                return [run.tag] * len(topics)
            result = self._scores(run, topics, column.measure, options)
            return np.where(np.isnan(result), -np.nan, result)

        with np.errstate(all="ignore"):
            return [Filled(column, values(column)) for column in columns]

    def _scores(self, run: Run, topics: Sequence[bytes], measure: Measure, options: Options) -> FloatArray:
        rankings = self._rankings(run, topics)
        conventions = with_measure_parameters(conventions_of(options), measure)
        return score_as_read(rankings, measure, conventions).scores[_places(rankings, topics)]

    def _rankings(self, run: Run, topics: Sequence[bytes]) -> Rankings:
        if self._streamed is not None and run is self._streamed.pairing.run:
            return self._streamed
        if self._ranked is None or self._ranked[0] != tuple(topics):
            few = len(topics) < len(set(run.topics) & self._pool.number.keys())
            self._ranked = tuple(topics), Rankings(only_run(run, set(topics)) if few else run, self._pool)
        return self._ranked[1]


def _places(rankings: Rankings, topics: Sequence[bytes]) -> list[int]:
    place = {topic: i for i, topic in enumerate(rankings.pairing.topics)}
    return [place[topic] for topic in topics]


def _rankable_run(options: Options, *, ascending: bool) -> Run:
    """The whole run, with duplicates and NaN scores changed so that it can be ranked.

    Args:
        ascending: whether tied documents are ordered by ascending docno.
    """
    run = read_results(options.run, options.version)
    precision = conventions_of(options)[SCORE_PRECISION]
    run = with_nan_scores_ordered(run, precision, ascending=ascending)
    if options.depth is None:
        return run
    return cut_topics_with_duplicates(run, options.depth, precision, ascending=ascending)


def _repeated(table: Run | Qrels, wanted: Collection[bytes], reader: str) -> dict[bytes, TrecEvalError]:
    """The error for each wanted topic under which a document occurs twice."""
    found: dict[bytes, TrecEvalError] = {}
    for i, docno in duplicates(table.docnos, table.offsets).items():
        topic, said = table.topics[i], f"trec_eval.{reader}: duplicate docs {quoted(docno)[1:-1]}"
        if topic in wanted:
            found[topic] = TrecEvalError(4, said, problem=_twice(docno, topic, table.source))
    return found


def _twice(docno: bytes, topic: bytes, source: str) -> str:
    return (
        f"{quoted(source, 4096)[1:-1]}: document {quoted(display(docno))} occurs twice under topic"
        f" {quoted(display(topic))}\n  to do:    remove one of the two lines"
    )


def _all_negative(qrels: Qrels, topic: bytes) -> TrecEvalError | None:
    i = qrels.topics.index(topic)
    if qrels.rels[qrels.offsets[i] : qrels.offsets[i + 1]].max() >= 0:
        return None
    return TrecEvalError(
        4,
        problem=f"every judgement of topic {quoted(display(topic))} is negative, and it is the first one"
        f" evaluated\n  to do:    remove the topic from {quoted(qrels.source, 4096)}, or judge a document",
    )


def relstrings(judged: JudgedRankings, length: int) -> list[bytes]:
    """A text for each topic, with one character per rank, for at most ``length`` ranks.

    The level itself up to 9, ``>`` for higher levels, ``-`` for an unjudged document, ``.`` for a negative
    level.
    """
    lengths = np.minimum(judged.num_ret, length)
    ends = np.cumsum(lengths)
    text = np.full(int(lengths.sum()), ord("-"), np.uint8)
    seen = judged.rank <= length
    shown = np.where(judged.rel > 9, ord(">"), ord("0") + judged.rel)
    shown = np.where(judged.rel < 0, ord("."), shown)
    starts = ends - lengths
    text[starts[judged.topic[seen]] + judged.rank[seen] - 1] = shown[seen]
    return [text[a:b].tobytes() for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
