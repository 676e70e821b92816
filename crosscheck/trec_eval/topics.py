"""The topics to evaluate, and the one at which trec_eval fails."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from msgspec import Struct

from crosscheck.errors import quoted
from crosscheck.formats.grouping import identifiers
from crosscheck.model import Run, display
from crosscheck.trec_eval.failure import TrecEvalError
from crosscheck.trec_eval.options import Options

__all__ = ["Topics", "choose_topics", "placeholders"]

#: The document that trec_eval 10 inserts for a judged topic without results, under ``-c``.
_PLACEHOLDER = b"ceci_nest_pas_un_docno"


class Topics(Struct, frozen=True, eq=False):
    """Topics in the order of evaluation, which is the byte order of their ids.

    Attributes:
        evaluated: topics that get values.
        missing: topics of ``evaluated`` without results (10.0 under ``-c``).
        failure: the error that stops trec_eval after the last of these topics, or None.
    """

    evaluated: tuple[bytes, ...]
    missing: frozenset[bytes] = frozenset()
    failure: TrecEvalError | None = None

    def up_to(self, topic: bytes, failure: TrecEvalError) -> Topics:
        """The topics before ``topic``, at which trec_eval fails."""
        before = self.evaluated[: self.evaluated.index(topic)]
        return Topics(before, self.missing & set(before), failure)


def choose_topics(options: Options, judged: Sequence[bytes], retrieved: Sequence[bytes]) -> Topics:
    """The topics to evaluate; both arguments are in byte order.

    9.0.8 evaluates the topics of the run that are judged. 10.0 evaluates all judged topics; a topic
    without results ends trec_eval, or gets a ranking of one placeholder under ``-c``.
    """

    def wanted(topic: bytes) -> bool:
        return options.only_topic is None or topic == options.only_topic

    if options.version == "9.0.8":
        in_qrels = set(judged)
        return Topics(tuple(t for t in retrieved if t in in_qrels and wanted(t)))
    topics = tuple(filter(wanted, judged))
    missing = frozenset(topics) - set(retrieved)
    if not missing or options.complete:
        return Topics(topics, missing)
    first = min(missing)
    failure = TrecEvalError(
        4,
        f"trec_eval: result qid {quoted(first)} not found in qrels",
        problem=_missing_problem(missing, options.run),
    )
    return Topics(topics[: topics.index(first)], failure=failure)


def _missing_problem(missing: Collection[bytes], run: str) -> str:
    some = sorted(missing)
    named = ", ".join(quoted(display(topic)) for topic in some[:5]) + (", ..." if len(some) > 5 else "")
    return (
        f"{len(some)} judged topic{'' if len(some) == 1 else 's'} without results in {quoted(run, 4096)}:"
        f" {named}\n"
        "  to do:    -c counts such topics as 0; --compat 9.0.8 leaves them out"
    )


def placeholders(topics: Collection[bytes], tag: bytes) -> Run:
    """A run with one unjudged document for each of these topics."""
    return Run(
        topics=tuple(sorted(topics)),
        offsets=np.arange(len(topics) + 1),
        docnos=identifiers([_PLACEHOLDER] * len(topics)),
        scores=np.ones(len(topics)),
        ranks=None,
        lines=np.arange(len(topics)),
        tag=tag,
        source="placeholders",
    )
