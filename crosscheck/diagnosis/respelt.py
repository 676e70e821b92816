"""Query ids that a candidate spells differently from the run: 7 for 07, 12 for 2010-12."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.ids import IDS, Ids
from crosscheck.compare import Differences
from crosscheck.conventions import AxisValue
from crosscheck.diagnosis.wording import Diagnosed
from crosscheck.hypotheses.rivals import NEEDED_ON
from crosscheck.model import MeasureValues
from crosscheck.results import Diagnosis, Strength

__all__ = ["as_spelt_here", "with_other_spelling"]


def as_spelt_here(candidate: MeasureValues, topics: tuple[bytes, ...]) -> tuple[Ids, MeasureValues] | None:
    """The rule by which the candidate's ids match those of run and qrels, and the values under the latter.

    None if all ids are known, or if no rule matches each unknown id with a topic of its own without a value.
    """
    foreign = candidate.values.keys() - set(topics)
    free = [topic for topic in topics if topic not in candidate.values]
    for ids in (rule for rule in Ids if rule is not Ids.EXACT and foreign):
        spelt = {ids.of_query(topic): topic for topic in free}
        found = {topic: spelt.get(ids.of_query(topic)) for topic in sorted(foreign)}
        known = [topic for topic in found.values() if topic is not None]
        if len(spelt) == len(free) and len(set(known)) == len(foreign):
            values = {found.get(topic) or topic: value for topic, value in candidate.values.items()}
            return ids, replace(candidate, values=values)
    return None


def with_other_spelling(
    ids: Ids, differences: Differences, candidate: MeasureValues, rest: Diagnosed | None
) -> Diagnosed:
    """The diagnosis of values whose ids are spelt differently.

    Args:
        ids: the rule by which the candidate's ids match those of the run.
        differences: between reference and candidate, before the ids were matched.
        candidate: the candidate's values, under the ids of the run.
        rest: the diagnosis of these values, None if they agree with the reference.
    """
    values = np.array(list(candidate.values.values()), np.float64)
    several = differences.missing.sum() >= 2 * NEEDED_ON and len(np.unique(values)) > 1
    strength: Strength = "proved" if several else "consistent"
    caveat = "" if several else "; only a few queries, or the same value for all, show it"
    words = f"{IDS.describe(Ids.EXACT, ids)}, and queries are reported under other ids than those of the run"
    matching = zip(differences.topics, differences.match.tolist(), strict=True)
    labels = {topic: [IDS.label] for topic, same in matching if not same}
    changed: dict[str, AxisValue] = {IDS.name: ids.value}
    if rest is None:
        queries = len(candidate.values)
        found = Diagnosis(
            strength=strength,
            causes=[IDS.label],
            conventions={IDS.name: ids.value},
            reproduced=queries,
            of=queries,
            alternatives=[],
            explanation=f"{words}{caveat}.",
        )
        return Diagnosed(found, labels, {})
    inner = rest.diagnosis
    found = Diagnosis(
        strength=inner.strength if several or inner.strength != "proved" else "consistent",
        causes=list(dict.fromkeys([IDS.label, *inner.causes])),
        conventions=changed | inner.conventions,
        reproduced=inner.reproduced,
        of=inner.of,
        alternatives=inner.alternatives,
        explanation=f"{words}; {inner.explanation.removesuffix('.')}{caveat}.",
        separate_by=inner.separate_by,
        fits=inner.fits,
        tried=inner.tried,
        rivals=inner.rivals,
    )
    together = {topic: list(dict.fromkeys(own + rest.labels.get(topic, []))) for topic, own in labels.items()}
    return Diagnosed(found, rest.labels | together, rest.conventions)
