"""Plain judgements (``-R qrels``) and the measures computed from them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from crosscheck.axes.recall_points import RecallPoints
from crosscheck.axes.score_precision import SCORE_PRECISION, ScorePrecision
from crosscheck.axes.unjudged import Unjudged
from crosscheck.conventions import Conventions
from crosscheck.errors import quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.measures import family
from crosscheck.model import FloatArray, IdArray, IntArray, Qrels, Run, display
from crosscheck.rankings.pairing import JudgedPool
from crosscheck.rankings.subset import only_run
from crosscheck.trec_eval.failure import TrecEvalError
from crosscheck.trec_eval.input_files import read_results, stream_results
from crosscheck.trec_eval.judgements import Refusal
from crosscheck.trec_eval.nan_and_duplicates import (
    cut_topics_with_duplicates,
    duplicates,
    with_nan_scores_ordered,
)
from crosscheck.trec_eval.options import Options
from crosscheck.trec_eval.parameters import Column
from crosscheck.trec_eval.relstring import relstrings
from crosscheck.trec_eval.table import Filled

__all__ = ["PlainJudgements", "conventions_of", "rankable_run", "run_duplicates"]


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


class PlainJudgements:
    """Judgements of the format ``qrels``; see :class:`crosscheck.trec_eval.judgements.Judgements`."""

    needs = "qrels"

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self._pool = JudgedPool(qrels)
        self._streamed: Rankings | None = None

    @property
    def topics(self) -> tuple[bytes, ...]:
        return self.qrels.topics

    @property
    def relevant(self) -> int:
        return int((self.qrels.rels > 0).sum())

    def read_run(self, options: Options) -> Run:
        """The run; for a file that can be streamed only its topics, with the judged documents kept here."""
        conventions = conventions_of(options)
        self._streamed = stream_results(options.run, options.version, self._pool, conventions)
        if self._streamed is not None:
            return self._streamed.pairing.run
        return rankable_run(options, ascending=False)

    def refused(self, run: Run, topics: Sequence[bytes], options: Options) -> Refusal | None:
        """The first topic with a document twice in the run or in the judgements.

        Also the very first topic, if all its judgements are negative.
        """
        found: dict[bytes, TrecEvalError] = {}
        wanted = set(topics)
        if first := _all_negative(self.qrels, topics[0]):
            found[topics[0]] = first
        for topic, docno in _repeated(self.qrels.topics, self.qrels.docnos, self.qrels.offsets, wanted):
            said = f"trec_eval.form_res_rels: duplicate docs {quoted(docno)[1:-1]}"
            found[topic] = TrecEvalError(4, said, problem=_twice(docno, topic, self.qrels.source))
        if self._streamed is None:  # runs with duplicates are not streamed
            found |= run_duplicates(run, wanted)
        return min(found.items(), key=lambda item: item[0], default=None)

    def computed(
        self, run: Run, topics: Sequence[bytes], columns: Sequence[Column], options: Options
    ) -> list[Filled]:
        """The columns. NaN is C's result of 0 / 0, whose sign is negative on x86."""
        conventions = conventions_of(options)
        rankings = self._rankings(run, topics)
        judged = rankings.judged(conventions)
        place = {topic: i for i, topic in enumerate(rankings.pairing.topics)}
        wanted = [place[topic] for topic in topics]

        def values(column: Column) -> FloatArray | list[bytes]:
            if column.kind.name == "relstring":
                texts = relstrings(judged, column.length)
                return [texts[i] for i in wanted]
            if column.measure is None:
                return [run.tag] * len(topics)
            result = family(column.measure.family).compute(judged, conventions, column.measure)[wanted]
            return np.where(np.isnan(result), -np.nan, result)

        with np.errstate(all="ignore"):
            return [Filled(column, values(column)) for column in columns]

    def _rankings(self, run: Run, topics: Sequence[bytes]) -> Rankings:
        if self._streamed is not None and run is self._streamed.pairing.run:
            return self._streamed
        few = len(topics) < len(set(run.topics) & self._pool.number.keys())
        return Rankings(only_run(run, set(topics)) if few else run, self._pool)


def rankable_run(options: Options, *, ascending: bool) -> Run:
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


def run_duplicates(
    run: Run, wanted: Collection[bytes], reader: str = "form_res_qrels"
) -> dict[bytes, TrecEvalError]:
    """Topics under which the run has a document twice."""
    found: dict[bytes, TrecEvalError] = {}
    for topic, docno in _repeated(run.topics, run.docnos, run.offsets, wanted):
        said = f"trec_eval.{reader}: duplicate docs {quoted(docno)[1:-1]}"
        found[topic] = TrecEvalError(4, said, problem=_twice(docno, topic, run.source))
    return found


def _repeated(
    topics: Sequence[bytes], docnos: IdArray, offsets: IntArray, wanted: Collection[bytes]
) -> list[tuple[bytes, bytes]]:
    return [(topics[i], docno) for i, docno in duplicates(docnos, offsets).items() if topics[i] in wanted]


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
