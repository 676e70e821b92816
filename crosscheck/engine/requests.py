"""Requests for values: measures with their conventions, and judgements and runs that can be used for them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.gains import GAIN
from crosscheck.conventions import Conventions, Profile, profiles
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run, by_query, file_of
from crosscheck.engine.streaming import judge_file
from crosscheck.errors import InputError
from crosscheck.evaluation.dict_rankings import judge_dict
from crosscheck.evaluation.evaluate import evaluate
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import Evaluated
from crosscheck.measures import family, needs_of
from crosscheck.measures.gains import gains
from crosscheck.model import Measure, Qrels, display
from crosscheck.names import conventions_for, parse_measures, software, texts_of, trec_eval_name
from crosscheck.rankings.pairing import JudgedPool, Pairing

__all__ = ["RequestedMeasures", "fails_on"]


class RequestedMeasures(NamedTuple):
    """Measures by requested name, each with its conventions."""

    wanted: dict[str, tuple[Measure, Conventions]]

    @staticmethod
    def of(names: Sequence[str], conventions: str | Conventions) -> RequestedMeasures:
        """The request for measures by their names, under a profile, axis settings or conventions.

        Raises:
            UsageError: an unknown measure, profile, axis or value, or a tool without one of the measures.
        """
        named = _named_measures(names, conventions).items()
        return RequestedMeasures(
            {name: (measure, conventions_for(conventions, measure)) for name, measure in named}
        )

    @property
    def order(self) -> Conventions:
        """The conventions under which runs are read and ordered at first: those of the first measure."""
        return next((conventions for _, conventions in self.wanted.values()), Conventions())

    def judgements(self, qrels: QrelsLike) -> Qrels:
        """The judgements that the measures need.

        Raises:
            InputError: they cannot be used, or a level has an infinite gain.
        """
        judged = as_qrels(qrels, needs=needs_of(measure for measure, _ in self.wanted.values()))
        self.check_gains(judged)
        return judged

    def check_gains(self, qrels: Qrels) -> None:
        """Refuse relevance levels whose gain is infinite.

        Raises:
            InputError: the gain 2^level of the highest level is too large for a double.
        """
        highest = int(qrels.rels.max(initial=0))
        for measure, conventions in self.wanted.values() if highest >= sys.float_info.max_exp else ():
            spec = with_measure_parameters(conventions, measure)
            if GAIN in family(measure.family).reads and np.isinf(gains(np.array([highest]), spec)).any():
                raise InputError(
                    f"the gain of this relevance level is too large for {measure}",
                    path=qrels.source,
                    found=str(highest),
                    expected=f"levels below {sys.float_info.max_exp} where the gain is {spec[GAIN]}",
                )

    def rankings(self, run: RunLike, pool: JudgedPool) -> Rankings:
        """A run joined with prepared judgements; files are streamed, dicts are not copied.

        Against judgements that say more than levels every run is read as a whole.
        """
        if pool.qrels.detailed:
            return Rankings(as_run(run), pool)
        if by_query(run):
            return judge_dict(run, pool)
        path = file_of(run)
        return Rankings(as_run(run), pool) if path is None else judge_file(path, pool, self.order)

    def evaluated(self, rankings: Rankings) -> dict[str, Evaluated]:
        """The values and the mean of each measure.

        Raises:
            InputError: the tool of the conventions ends with an error on some query; or see :func:`evaluate`.
        """
        return {name: _evaluated(rankings, *wanted) for name, wanted in self.wanted.items()}


def fails_on(profile: Profile, pairing: Pairing) -> tuple[str, list[bytes]] | None:
    """The queries on which the tool of a profile ends with an error, in words and by their ids; None without
    any."""
    run, every = pairing.run, pairing.all_topics
    kinds = {
        "missing": ("judged queries without results", compress(every, pairing.missing)),
        "extra": ("queries without judgements", compress(every, pairing.unjudged)),
        "single": ("a list of one document", compress(run.topics, np.diff(run.offsets) == 1)),
        "words": (
            "query ids that are not numbers",
            (t for t in run.topics if not t.replace(b"-", b"").isdigit()),
        ),
    }
    found = ((words, list(topics)) for words, topics in map(kinds.__getitem__, profile.fails))
    return next((failing for failing in found if failing[1]), None)


def _evaluated(rankings: Rankings, measure: Measure, conventions: Conventions) -> Evaluated:
    """The values and the mean of a measure, as the tool gives them if the conventions are a tool's."""
    profile, pairing = profiles()[conventions.profile] if conventions.profile else None, rankings.pairing
    if profile and (failing := fails_on(profile, pairing)):
        words, topics = failing
        some = ", ".join(map(display, topics[:5])) + ", ..." * (len(topics) > 5)
        raise InputError(
            f"{software(profile)} ends with an error on {words}",
            path=pairing.run.source,
            found=f"{len(topics)} of {len(pairing.all_topics)}: {some}",
            hint=f"leave them out, or say what is done: {profile.name},missing_queries=zero counts judged "
            "queries without results as 0 (trec_eval's -c), =dropped leaves them out",
        )
    found = evaluate(rankings, measure, conventions)
    if profile and profile.mean_of == "rounded values" and found.mean_of_rounded is not None:
        return replace(found, mean=found.mean_of_rounded)
    return found


def _named_measures(names: Sequence[str], conventions: str | Conventions) -> dict[str, Measure]:
    """Measures by requested name; the members of a group (``official``) by trec_eval's names.

    Args:
        conventions: where they begin with a profile of trec_eval 10, groups are those of that version.

    Raises:
        UnknownMeasure: a name is unknown.
    """
    is_10 = isinstance(conventions, str) and conventions.startswith("trec_eval-10")
    measures: dict[str, Measure] = {}
    for name in texts_of(names):
        found = parse_measures([name], "10.0" if is_10 else "9.0.8")
        several = len(found) > 1
        measures |= {(trec_eval_name(m) or str(m)) if several else name: m for m in found}
    return measures
