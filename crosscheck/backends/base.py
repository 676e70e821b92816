"""The base class of backends, which are adapters for anything that computes measures."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from functools import cache

from msgspec import Struct

from crosscheck.conventions import Conventions
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.results import BackendRecord


class Description(BackendRecord, frozen=True, kw_only=True):
    """The description of a backend, known before the backend computes anything.

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
        greets: whether :meth:`supports` runs foreign code, so that it must be called in the child process.
        independent: whether the values are computed from the input, with software that is not crosscheck.
            False for saved values and for crosscheck's own measures.
        exact: whether the values equal those of trec_eval 9 to the last bit.
        repeatable: whether the values depend only on the input, the description and the installed packages.
            False for the user's code and for programs.
        of_one_run: whether the values are those of one run, whatever the input.
        by_query: whether the value of a query certainly depends only on the rows of this query. Several child
            processes may then share the work, and equal inputs are computed once. The backend must have
            methods ``values`` and ``means`` with the arguments of :meth:`evaluate`. ``values`` returns no
            means, and ``means`` returns no values.
        start_seconds: seconds that a child process may take to prepare the backend, in addition to the time
            limit of an evaluation.
        takes_rankings: whether the backend has a method ``evaluate_rankings(rankings, measures)``, for a run
            that is already joined with its qrels. Only backends of crosscheck itself have this method; their
            errors are bugs of crosscheck.
    """

    isolated: bool = True
    greets: bool = False
    independent: bool = True
    exact: bool = False
    repeatable: bool = False
    of_one_run: bool = False
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
        """The description of the backend, which says whether it can be called. Imports as little as
        possible."""
        raise NotImplementedError

    def description(self, reason: str | None = None, *, version: str = "", engine: str = "") -> Description:
        """A description with the id of this backend. The backend is available if ``reason`` is None."""
        engine, available = engine or self.id, reason is None
        return Description(id=self.id, version=version, engine=engine, available=available, reason=reason)

    def prepare(self) -> None:
        """Import what the backend needs. Called in the child process before the first request, because
        imports may be slow or fail."""

    def supports(self, measure: Measure) -> bool:
        """Whether :meth:`evaluate` accepts this measure. Imports no large packages."""
        raise NotImplementedError

    def lacks(self, measure: Measure) -> str | None:
        """Why the backend does not support a measure; None if the reason is not known."""
        return None

    def certain(self, measure: Measure) -> bool:
        """Whether trec_eval's own code computes the measure, so that the conventions of the values are
        certain. If crosscheck's measure has different values under these conventions, crosscheck has a
        bug."""
        return False

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Compute the requested measures, all of which :meth:`supports` accepts.

        Raises:
            BackendError: the backend failed. Exceptions of other types are treated as BackendError.
        """
        raise NotImplementedError

    def in_parts(self, measures: Sequence[Measure], same_queries: bool) -> Backend | None:
        """The backend that evaluates a run too large for memory in parts, each with all rows of some queries;
        None if one of the measures needs the whole run.

        Return a backend only if the value of a query depends only on the rows of this query, and the mean
        only on the values. The backend must have a method ``mean_of(measure, values)``, which computes the
        mean from the values in the order of the topics.

        Args:
            measures: the measures to evaluate.
            same_queries: whether run and qrels have the same queries.
        """
        return None


class Packaged(Backend):
    """A backend that is a Python package, with a profile whose name is the id of the backend.

    Attributes:
        modules: names of the modules that must be installed.
        distributions: names of the distributions with these modules; the first one computes the measures.
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
    """Settings that some backends need.

    Attributes:
        trec_eval_bin: the C program trec_eval: a name on PATH, or a path.
        timeout: seconds that one evaluation may take before its process is killed.
        budget: seconds that all calls of an audit may take together; None for ten times the timeout.
        memory: limit of resident memory in bytes for the process of an evaluation and its children; None for
            no limit.
        children: number of child processes that may share the work of a ``by_query`` backend.
    """

    trec_eval_bin: str = "trec_eval"
    timeout: float = 600.0
    budget: float | None = None
    memory: int | None = None
    children: int = os.cpu_count() or 1


class BackendFactory(Struct, frozen=True, kw_only=True):
    """One kind of backend. Each module of this package exports its kind as ``FACTORY``.

    Attributes:
        usage: the syntax of the id, as shown by ``crosscheck backends``.
        summary: a description of the kind, as shown by the same command.
        make: creates the backend from the part of the id after the colon (None without a colon).
        default: whether the backend is a candidate by default.
        in_cases: whether a ``case.toml`` may name the backend as reference. False if the case could thereby
            make crosscheck run code or read files.
    """

    usage: str
    summary: str
    make: Callable[[str | None, Options], Backend]
    default: bool = False
    in_cases: bool = False

    @property
    def name(self) -> str:
        """The id of the backend, or the part of the id before the colon."""
        return self.usage.partition(":")[0].removesuffix("[")


@cache
def installed_version(distribution: str) -> str:
    """The version of a distribution; empty if it is not installed. (Its module may still be importable, from
    a different distribution.)"""
    # Imported here, because a child process does not need it and should start fast.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""
