"""All metrics of the zoo, those with a bug and the faithful ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crosscheck import audit
from crosscheck.audit_records import Audit
from tests.zoo import plain
from tests.zoo.bugs import BUGS
from tests.zoo.calls import CALLS, target_of
from tests.zoo.harmless import HARMLESS
from tests.zoo.reference import Rules

__all__ = ["METRICS", "Metric"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric to audit.

    Attributes:
        name: its rules, or its function in ``plain``.
        measure: what it is meant to compute.
        way: how it is called, a name of ``calls.CALLS``; None where its parameters say it.
        faithful: whether it says what trec_eval says.
    """

    name: str
    measure: str
    way: str | None
    faithful: bool

    def __str__(self) -> str:
        return f"{self.name}: {self.measure}/{self.way or 'plain'}"

    @property
    def target(self) -> Callable[..., Any] | str:
        return getattr(plain, self.name) if self.way is None else target_of(self.name, self.measure, self.way)

    @property
    def call(self) -> str | None:
        """How an audit is told to call it, None where it finds out."""
        return None if self.way is None else CALLS[self.way]

    def audited(self, seed: int) -> Audit:
        return audit(self.target, self.measure, call=self.call, seed=seed)


def _listed(table: Mapping[str, tuple[Rules, str]], *, faithful: bool) -> Iterator[Metric]:
    for name, (_, metrics) in table.items():
        for metric in metrics.split():
            measure, _, way = metric.partition("/")
            yield Metric(name, measure, way, faithful)


METRICS = [
    *_listed(BUGS, faithful=False),
    *_listed(HARMLESS, faithful=True),
    *(Metric(name, measure, None, faithful=True) for name, measure in plain.PLAIN.items()),
]
