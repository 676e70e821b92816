"""Preferences between documents (``-R prefs``, ``-R qrels_prefs``) and their measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from crosscheck.errors import InputError
from crosscheck.formats.source import text_of
from crosscheck.model import FloatArray, Run
from crosscheck.rankings.subset import only_run
from crosscheck.trec_eval.failure import TrecEvalError
from crosscheck.trec_eval.from_qrels import conventions_of, rankable_run, run_duplicates
from crosscheck.trec_eval.input_files import judged_file
from crosscheck.trec_eval.judgements import Refusal
from crosscheck.trec_eval.options import Options
from crosscheck.trec_eval.parameters import Column
from crosscheck.trec_eval.preference_measures import MEASURES
from crosscheck.trec_eval.preferences import (
    Preferences,
    RankedPreferences,
    preferences_from_text,
    ranked_preferences,
)
from crosscheck.trec_eval.selection import Version
from crosscheck.trec_eval.table import Filled
from crosscheck.trec_eval.topics import placeholders

__all__ = ["PreferenceJudgements", "read_preferences"]


def read_preferences(path: str, version: Version, *, subgroups: bool) -> PreferenceJudgements:
    """Read a file of the format ``prefs`` (with subgroups) or ``qrels_prefs``.

    Raises:
        TrecEvalError: with code 2, it cannot be read.
    """
    name = "prefs" if subgroups else "qrels_prefs"
    preferences = judged_file(
        path,
        version,
        name,
        lambda file: preferences_from_text(text_of(file, path, name, lines=True), path, subgroups=subgroups),
    )
    return PreferenceJudgements(preferences)


@dataclass(slots=True, eq=False)
class PreferenceJudgements:
    """See :class:`crosscheck.trec_eval.judgements.Judgements`."""

    preferences: Preferences
    needs: str = "prefs"
    relevant: int = 0
    _ranked: dict[bytes, RankedPreferences] = field(default_factory=dict)

    @property
    def topics(self) -> tuple[bytes, ...]:
        return tuple(self.preferences.by_topic)

    def read_run(self, options: Options) -> Run:
        return rankable_run(options, ascending=True)

    def refused(self, run: Run, topics: Sequence[bytes], options: Options) -> Refusal | None:
        """The first topic with a document twice in the run, or with contradicting preferences."""
        repeated = run_duplicates(run, topics, "form_prefs_counts")
        retrieved = set(run.topics)
        for topic in topics:
            if topic in repeated:
                return topic, repeated[topic]
            one = only_run(run, {topic}) if topic in retrieved else placeholders({topic}, run.tag)
            try:
                self._ranked |= ranked_preferences(self.preferences, one, conventions_of(options))
            except InputError as error:
                return topic, TrecEvalError(4, problem=error)
        return None

    def computed(
        self, run: Run, topics: Sequence[bytes], columns: Sequence[Column], options: Options
    ) -> list[Filled]:
        """The columns, computed from the rankings that :meth:`refused` has made."""

        def values(column: Column) -> FloatArray | list[bytes]:
            if column.kind.needs is None:
                return np.ones(len(topics)) if column.kind.name == "num_q" else [run.tag] * len(topics)
            value = MEASURES[column.kind.name]
            return np.array([value(self._ranked[topic]) for topic in topics], np.float64)

        with np.errstate(all="ignore"):
            return [Filled(column, values(column)) for column in columns]
