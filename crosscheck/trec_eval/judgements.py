"""The protocol of judgements, implemented for each format of ``-R``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from crosscheck.model import Run
from crosscheck.trec_eval.failure import TrecEvalError
from crosscheck.trec_eval.options import Options
from crosscheck.trec_eval.parameters import Column
from crosscheck.trec_eval.table import Filled

__all__ = ["Judgements", "Refusal"]

#: The first topic that cannot be evaluated, and the reason.
Refusal = tuple[bytes, TrecEvalError]


class Judgements(Protocol):
    """Judgements in one format."""

    @property
    def needs(self) -> str:
        """The kind of measures computed from them: ``qrels``, ``qrels_jg`` or ``prefs``."""

    @property
    def topics(self) -> Sequence[bytes]:
        """Judged topics in byte order."""

    @property
    def relevant(self) -> int:
        """Number of positive judgements in the whole file, the sum of ``num_rel`` under ``-c``."""

    def read_run(self, options: Options) -> Run:
        """The run, ready to be ranked; some readers keep only the part they need."""

    def refused(self, run: Run, topics: Sequence[bytes], options: Options) -> Refusal | None:
        """The first of the topics that trec_eval refuses to evaluate, or None.

        A topic missing from the run gets a placeholder.
        """

    def computed(
        self, run: Run, topics: Sequence[bytes], columns: Sequence[Column], options: Options
    ) -> list[Filled]:
        """The values of all columns for these topics, all of which are in the run and judged."""
