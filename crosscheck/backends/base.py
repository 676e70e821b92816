"""What a backend is: one small protocol between crosscheck and anything that computes measures."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from crosscheck.conventions import Conventions
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.results import BackendRecord

__all__ = ["Backend", "BackendFactory", "Description", "Options", "installed_version"]


@dataclass(frozen=True, slots=True, init=False)
class Description(BackendRecord):
    """What a backend says of itself before it is asked for numbers.

    Attributes:
        id: as given on the command line, such as ``ir-measures:msmarco``.
        version: of the package that computes, empty where unknown.
        available: whether it can be called here.
        engine: in one phrase, what computes the numbers.
        reason: why not, and the command that installs it; None when available.
        start_seconds: how much longer its first answer may take than others, as for one that compiles itself.
    """

    start_seconds: float

    def __init__(
        self,
        id: str,
        version: str,
        engine: str,
        available: bool,
        reason: str | None = None,
        start_seconds: float = 0.0,
    ) -> None:
        BackendRecord.__init__(self, id, version, available, engine, reason)
        object.__setattr__(self, "start_seconds", start_seconds)


class Backend(Protocol):
    """Anything that turns qrels and a run into per-query values.

    Attributes:
        id: as given on the command line.
        isolated: True where it must run in a child process, because it can crash, hang or print.
        conventions: the conventions it is known to follow, None where they are not known.

    An isolated one whose :meth:`supports` runs foreign code has an attribute ``greets = True``: it is asked
    in the child process then.
    """

    @property
    def id(self) -> str: ...
    @property
    def isolated(self) -> bool: ...
    @property
    def conventions(self) -> Conventions | None: ...

    def describe(self) -> Description:
        """What this is and whether it can be called; never raises, imports as little as it can."""
        ...

    def supports(self, measure: Measure) -> bool:
        """Whether :meth:`evaluate` can be asked for this measure; cheap, imports nothing heavy."""
        ...

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values of every measure asked for; measures that :meth:`supports` refused are never asked for.

        Raises:
            BackendError: with what the backend said. Any other exception counts the same.
        """
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of the call that some backends need.

    Attributes:
        trec_eval_bin: the C program, a name on PATH or a path.
        timeout: seconds that one evaluation may take before its process is killed.
        memory: bytes that its process may keep resident, with all that it starts; None for any number.
    """

    trec_eval_bin: str = "trec_eval"
    timeout: float = 600.0
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class BackendFactory:
    """A family of backends: each module of this package exports one as ``FACTORY``.

    Attributes:
        name: the id, or the part of it before the colon.
        make: builds the backend from the part of the id after the colon (None without a colon).
        usage: how the id is written, for ``crosscheck backends``.
        summary: one sentence for the same.
        default: whether it is a candidate when nobody says which.
        in_cases: whether a ``case.toml`` may name it as reference. Never where that would run code or
            read files of the case's choosing.
    """

    name: str
    make: Callable[[str | None, Options], Backend]
    usage: str
    summary: str
    default: bool = False
    in_cases: bool = False


def installed_version(distribution: str) -> str:
    """Version of an installed distribution; empty where its module comes from another one, or from none."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""
