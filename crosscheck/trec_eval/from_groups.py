"""Judgements of several groups (``-R qrels_jg``) and the measures that average over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crosscheck.errors import quoted
from crosscheck.formats.source import text_of
from crosscheck.model import FloatArray, Run
from crosscheck.rankings.subset import only_run
from crosscheck.trec_eval.failure import TrecEvalError
from crosscheck.trec_eval.from_qrels import conventions_of, rankable_run, run_duplicates
from crosscheck.trec_eval.input_files import judged_file
from crosscheck.trec_eval.judgement_groups import (
    GroupedRankings,
    JudgmentGroups,
    RepeatedError,
    judgment_groups_from_text,
)
from crosscheck.trec_eval.judgements import Refusal
from crosscheck.trec_eval.options import Options
from crosscheck.trec_eval.parameters import Column
from crosscheck.trec_eval.selection import Version
from crosscheck.trec_eval.table import Filled

__all__ = ["GroupJudgements", "read_groups"]


def read_groups(path: str, version: Version) -> GroupJudgements:
    """Read a file of the format ``qrels_jg``.

    Raises:
        TrecEvalError: with code 2, it cannot be read, or a group judges a document twice.
    """
    try:
        groups = judged_file(
            path,
            version,
            "qrels_jg",
            lambda file: judgment_groups_from_text(text_of(file, path, "qrels_jg", lines=True), path),
        )
    except TrecEvalError as error:
        if not isinstance(error.problem, RepeatedError):
            raise
        said = f"trec_eval.get_qrels: duplicate docs {quoted(error.problem.found or b'')[1:-1]}"
        raise TrecEvalError(error.code, said, *error.said[1:], problem=error.problem) from None
    return GroupJudgements(groups)


@dataclass(frozen=True, slots=True, eq=False)
class GroupJudgements:
    """See :class:`crosscheck.trec_eval.judgements.Judgements`."""

    groups: JudgmentGroups
    needs: str = "qrels_jg"
    relevant: int = 0

    @property
    def topics(self) -> tuple[bytes, ...]:
        return self.groups.topics

    def read_run(self, options: Options) -> Run:
        return rankable_run(options, ascending=False)

    def refused(self, run: Run, topics: Sequence[bytes], options: Options) -> Refusal | None:
        """The first topic under which the run has a document twice."""
        found = run_duplicates(run, topics)
        return min(found.items(), key=lambda item: item[0], default=None)

    def computed(
        self, run: Run, topics: Sequence[bytes], columns: Sequence[Column], options: Options
    ) -> list[Filled]:
        rankings = GroupedRankings(only_run(run, set(topics)), self.groups)
        conventions = conventions_of(options)

        def values(column: Column) -> FloatArray | list[bytes]:
            if column.kind.name == "num_q":
                return np.ones(len(topics))
            if column.measure is None:
                return [run.tag] * len(topics)
            return rankings.values(column.measure, conventions)

        with np.errstate(all="ignore"):
            return [Filled(column, values(column)) for column in columns]
