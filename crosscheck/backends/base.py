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
    """Anything that computes values per query from qrels and a run; the base class of all adapters.

    Attributes:
        isolated: whether the backend must run in a child process, because it can crash, hang or print.
        greets: whether :meth:`supports` runs foreign code and so must be called in the child process.
        fixed: whether the values are the same whatever the input, as for saved values.
        exact: whether the values equal those of trec_eval 9 to the last bit.
        repeatable: whether the answers depend only on the input, the description and the installed packages.
            False for the user's code and for programs.
        by_query: whether the value of a query is certain to depend on the rows of that query alone. Then
            several child processes may share the work, and equal inputs are computed once. Such a backend has
            methods ``values`` and ``means`` with the arguments of :meth:`evaluate`. Answers of ``values``
            have no means, and answers of ``means`` have no values.
        start_seconds: seconds that a child process may take to prepare the backend, besides the time limit of
            an answer.
        takes_rankings: whether the backend has a method ``evaluate_rankings(rankings, measures)``, for a run
            that is already joined with its qrels. Only backends that are part of crosscheck have it; their
            errors are bugs of crosscheck.
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
        """Describe the backend and whether it can be called. Imports as little as possible."""
        raise NotImplementedError

    def description(self, reason: str | None = None, *, version: str = "", engine: str = "") -> Description:
        """A description of this backend. It is available if ``reason`` is None."""
        engine, available = engine or self.id, reason is None
        return Description(id=self.id, version=version, engine=engine, available=available, reason=reason)

    def prepare(self) -> None:
        """Do slow imports and imports that may fail. Called in the child process before the first request."""

    def supports(self, measure: Measure) -> bool:
        """Whether :meth:`evaluate` accepts this measure. Imports no large packages."""
        raise NotImplementedError

    def lacks(self, measure: Measure) -> str | None:
        """Why the backend does not support a measure; None if it cannot tell."""
        return None

    def certain(self, measure: Measure) -> bool:
        """Whether trec_eval's own code computes the measure, so that its conventions are certain. If
        crosscheck's measures under these conventions give other values, crosscheck has a bug."""
        return False

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Compute the requested measures, all of which :meth:`supports` accepts.

        Raises:
            BackendError: the backend failed. Any other exception is treated in the same way.
        """
        raise NotImplementedError

    def in_parts(self, measures: Sequence[Measure], same_queries: bool) -> Backend | None:
        """The backend to use for a run that is too large for memory and is evaluated in parts of some queries
        each; None if one of the measures needs the whole run.

        Return a backend only if the value of a query depends on the rows of that query alone, and the mean on
        the values alone. It must have a method ``means_of(values)``, which takes the values of each measure
        in the order of the topics and answers with means only.

        Args:
            measures: the measures to evaluate.
            same_queries: whether run and qrels hold the same queries.
        """
        return None


class Packaged(Backend):
    """A backend that is an installed package and has a profile under its own id.

    Attributes:
        modules: names of the modules that must be installed.
        distributions: names of the distributions that install them, first the one that computes.
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
    """Settings of a call that some backends need.

    Attributes:
        trec_eval_bin: the C program, a name on PATH or a path.
        timeout: seconds that one evaluation may take before its process is killed.
        budget: seconds that all calls of an audit may take together; None for ten times the timeout.
        memory: limit of resident memory in bytes for the process of an evaluation and its children; None for
            no limit.
        children: how many child processes may share the work of a backend that is ``by_query``.
    """

    trec_eval_bin: str = "trec_eval"
    timeout: float = 600.0
    budget: float | None = None
    memory: int | None = None
    children: int = os.cpu_count() or 1


class BackendFactory(Struct, frozen=True, kw_only=True):
    """One kind of backend. Each module of this package exports one as ``FACTORY``.

    Attributes:
        name: the id, or the part of it before the colon.
        make: creates the backend from the part of the id after the colon (None without a colon).
        usage: the syntax of the id, for ``crosscheck backends``.
        summary: one sentence about this kind, for the same command.
        default: whether it is a candidate by default.
        in_cases: whether a ``case.toml`` may name it as reference. False if that would run code or read files
            that the case chooses.
    """

    name: str
    make: Callable[[str | None, Options], Backend]
    usage: str
    summary: str
    default: bool = False
    in_cases: bool = False


@cache
def installed_version(distribution: str) -> str:
    """The version of a distribution; empty if it is not installed, as when another distribution provides its
    module."""
    # Imported here, because a child process does not need it and should start fast.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""
