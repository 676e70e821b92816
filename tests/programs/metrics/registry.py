"""All metrics that audits are tried on, with what each audit must say."""

import gc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosscheck import audit
from crosscheck.audit_records import Audit
from tests.auditing.audited import contradictions
from tests.programs.metrics import everyday_ids, everyday_levels, everyday_queries  # noqa: F401  # fill ASKED
from tests.programs.metrics.asked import ASKED
from tests.programs.metrics.bugs import BUGS, HARMLESS
from tests.programs.metrics.calls import CALLS, target_of
from tests.programs.metrics.reference import Rules
from tests.support.oracle import changes_of

_SOURCES = Path(__file__).parents[2] / "targets"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric to audit.

    Attributes:
        kind: ``bug`` (no convention explains it, or none is asked), ``faithful``, ``signature`` (as public
            packages have them) or ``source`` (of the documents that the project started from).
        name: its rules, or its target; way: how it is called, a name of ``calls.CALLS``.
        written_for: the call that an audit must find by itself.
        changes: the conventions that an audit must find; None where they are not asked.
    """

    kind: str
    name: str
    measure: str
    way: str | None = None
    written_for: str | None = None
    changes: dict[str, Any] | None = None

    def __str__(self) -> str:
        return (
            f"{self.name}|{self.measure}" if self.way is None else f"{self.name}: {self.measure}/{self.way}"
        )

    @property
    def faithful(self) -> bool | None:
        """Whether it says what trec_eval says; None where nobody knows."""
        if self.kind in ("bug", "faithful"):
            return self.kind == "faithful"
        return None if self.changes is None else not self.changes

    @property
    def target(self) -> Callable[..., Any] | str:
        return self.name if self.way is None else target_of(self.name, self.measure, self.way)

    @property
    def call(self) -> str | None:
        """How an audit is told to call it, None where it finds out."""
        return None if self.way is None else CALLS[self.way]

    def audited(self, seed: int = 0) -> Audit:
        return audit(self.target, self.measure, call=self.call, seed=seed)

    def wrong(self, audited: Audit) -> list[str]:
        """What is wrong with an audit."""
        found = list(contradictions(audited))
        if self.faithful is not None and (audited.verdict == "agrees") != self.faithful:
            found.append(f"{'faithful' if self.faithful else self.kind}, but {audited.verdict}")
        if self.written_for is not None and audited.call != self.written_for:
            found.append(f"called as {audited.call}, not {self.written_for}")
        fitting = [audited.conventions, *(other.conventions for other in audited.alternatives)]
        if self.changes is not None and self.changes not in fitting:
            found.append(f"{audited.conventions}, not {self.changes}")
        return found


def _listed(kind: str, table: Mapping[str, tuple[Rules, str]]) -> Iterator[Metric]:
    for name, (_, metrics) in table.items():
        for metric in metrics.split():
            measure, _, way = metric.partition("/")
            yield Metric(kind=kind, name=name, measure=measure, way=way)


#: File and function, measure, and the changes that the documents imply.
_OF_SOURCES = [
    [*line.split(), ""][:3]
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]

METRICS = [
    *_listed("bug", BUGS),
    *_listed("faithful", HARMLESS),
    *(
        Metric(kind="signature", name=target, measure=measure, written_for=call, changes=changes)
        for target, measure, call, changes in ASKED
    ),
    *(
        Metric(kind="source", name=str(_SOURCES / target), measure=measure, changes=changes_of(setting))
        for target, measure, setting in _OF_SOURCES
    ),
]


def verdict(number: int, seed: int) -> tuple[str, str]:
    """The verdict on a metric, and what is wrong with the audit; by its number, which can be sent."""
    audited = METRICS[number].audited(seed)
    gc.collect()  # audits leave large cycles behind, which add up to gigabytes
    return audited.verdict, "; ".join(METRICS[number].wrong(audited))
