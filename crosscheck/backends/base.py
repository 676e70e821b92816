"""A backend: anything that computes measures for crosscheck."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Sequence
from functools import cache

from msgspec import Struct

from crosscheck.conventions import Conventions
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.results import BackendRecord


class Description(BackendRecord, frozen=True, kw_only=True):
    """The description that a backend gives of itself, before it computes anything.

    Attributes:
        id: name of the backend as given on the command line, such as ``ir-measures:msmarco``.
        version: version of the package that computes, empty if unknown.
        available: whether the backend can be called here.
        engine: the software that computes the numbers, in one phrase.
        reason: why the backend is not available, and the command that installs it; None if available.
    """

    reason: str | None = None


class Backend:
    """Anything that computes per-query values from qrels and a run. A subclass states what differs from here.

    Attributes:
        isolated: whether the backend must run in a child process, because it can crash, hang or print.
        greets: whether :meth:`supports` runs foreign code, and is called in the child process.
        fixed: whether the values of the backend do not depend on its input.
        exact: whether the values of the backend are those of trec_eval 9 to the last bit.
        repeatable: whether the answers follow from the input, the description and the installed packages.
            This is not so for the user's code and for programs.
        by_query: whether, by construction, the value of a query follows from the rows of that query alone,
            and every answer from its input alone. The work may be shared out to several child processes, and
            equal inputs are computed once. The backend has methods ``values`` and ``means`` with the
            arguments of :meth:`evaluate`: answers of ``values`` have no means, and answers of ``means`` no
            values.
        start_seconds: seconds beside those of an answer until a child process has prepared the backend.
        takes_rankings: whether the backend has a method ``evaluate_rankings(rankings, measures)``, for a run
            that is already joined with its qrels. Such a backend is part of crosscheck, and its errors are
            bugs of crosscheck.
    """

    isolated: bool = True
    greets: bool = False
    fixed: bool = False
    exact: bool = False
    repeatable: bool = False
    by_query: bool = False
    start_seconds: float = 60.0
    takes_rankings: bool = False

    @property
    def id(self) -> str:
        """Name of the backend as given on the command line."""
        raise NotImplementedError

    @property
    def conventions(self) -> str | Conventions | None:
        """The conventions that the backend is known to follow, or their text; None if unknown."""
        return None

    def describe(self) -> Description:
        """The description of the backend and whether it can be called; never raises, imports as little as
        possible."""
        raise NotImplementedError

    def description(self, reason: str | None = None, *, version: str = "", engine: str = "") -> Description:
        """The description of a backend that is available unless there is a reason against it."""
        engine, available = engine or self.id, reason is None
        return Description(id=self.id, version=version, engine=engine, available=available, reason=reason)

    def prepare(self) -> None:
        """Import, in the child process and before its first request, what takes long and what may fail."""

    def supports(self, measure: Measure) -> bool:
        """Whether :meth:`evaluate` accepts this measure; cheap, imports nothing heavy."""
        raise NotImplementedError

    def lacks(self, measure: Measure) -> str | None:
        """The reason why the backend does not support a measure, if it knows one."""
        return None

    def certain(self, measure: Measure) -> bool:
        """Whether trec_eval's own code computes the measure, so that its conventions are known without a
        doubt. If native measures under them give other values, these are broken."""
        return False

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values of every requested measure; only measures that :meth:`supports` accepts are requested.

        Raises:
            BackendError: with the message of the backend. Any other exception is treated the same.
        """
        raise NotImplementedError

    def in_parts(self, measures: Sequence[Measure], same_queries: bool) -> Backend | None:
        """The backend that evaluates runs too large for memory in parts of some queries each; None if one of
        the measures needs the whole run.

        A backend may be returned only if the value of a query follows from the rows of that query alone, and
        the mean from the values. It has a method ``means_of(values)``, which takes the values of each
        measure, in the order of the topics, and answers with means only.

        Args:
            same_queries: whether run and qrels hold the same queries.
        """
        return None


class Packaged(Backend):
    """A backend that is an installed package, with a profile under its own id.

    Attributes:
        modules: names of the modules that must be installed.
        distributions: names of the distributions that install them; the first one computes.
    """

    modules: tuple[str, ...]
    distributions: tuple[str, ...]
    repeatable = True

    @property
    def conventions(self) -> str | Conventions | None:
        return self.id

    def prepare(self) -> None:
        for name in self.modules:
            importlib.import_module(name)

    @property
    def engine(self) -> str:
        """The software that computes the numbers, in one phrase."""
        return f"{self.distributions[0]} {installed_version(self.distributions[0])}"

    def describe(self) -> Description:
        if missing := [name for name in self.modules if importlib.util.find_spec(name) is None]:
            how = f"pip install {' '.join(self.distributions)}"
            return self.description(f"not installed: {', '.join(missing)}; {how}")
        return self.description(version=installed_version(self.distributions[0]), engine=self.engine)


class Options(Struct, frozen=True, kw_only=True):
    """Settings of the call that some backends need.

    Attributes:
        trec_eval_bin: the C program, a name on PATH or a path.
        timeout: seconds that one evaluation may take before its process is killed.
        budget: seconds that all calls of an audit may take together; None for ten times the timeout.
        memory: limit of resident memory in bytes for the process of an evaluation and its children; None for
            no limit.
        children: child processes among which the work of a backend may be shared out, if it is ``by_query``.
    """

    trec_eval_bin: str = "trec_eval"
    timeout: float = 600.0
    budget: float | None = None
    memory: int | None = None
    children: int = os.cpu_count() or 1


class BackendFactory(Struct, frozen=True, kw_only=True):
    """A family of backends. Each module of this package exports one as ``FACTORY``.

    Attributes:
        name: the id, or the part of it before the colon.
        make: creates the backend from the part of the id after the colon (None without a colon).
        usage: the syntax of the id, for ``crosscheck backends``.
        summary: one sentence about the family, for the same command.
        default: whether the family is a candidate by default.
        in_cases: whether a ``case.toml`` may name the family as reference. False if that would run code or
            read files chosen by the case.
    """

    name: str
    make: Callable[[str | None, Options], Backend]
    usage: str
    summary: str
    default: bool = False
    in_cases: bool = False


@cache
def installed_version(distribution: str) -> str:
    """Version of a distribution; empty if it is not installed, as when its module comes from another
    distribution."""
    # Not needed by a child process, whose start waits for every import.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""
