"""The settings of a call of the harness, the settings of the project around it, and its timings."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, get_args

from msgspec import Struct, field

from crosscheck import backends as registry
from crosscheck.backends.base import Backend, Options
from crosscheck.backends.child import peak_bytes
from crosscheck.errors import UsageError, safe_text
from crosscheck.formats.toml_table import read_table
from crosscheck.harness.document import FailOn
from crosscheck.names import parse_measures
from crosscheck.results import Identity

#: A function that is called with a message before each slow step.
Progress: TypeAlias = Callable[[str], None]

DEFAULT_REFERENCE = "pytrec_eval"
DEFAULT_TOLERANCE = 1e-9


class Settings(Struct, frozen=True, kw_only=True):
    """Settings of a comparison: measures, backends, tolerance.

    Attributes:
        measures: measure names; empty for the measures of each case.
        backends: candidate ids; empty for the default candidates. Candidates named here are required.
        reference: backend id, or None for the reference of each case (``pytrec_eval`` if it names none).
        require: further backend ids that must be available; otherwise the result is inconclusive.
        queries: topic ids to include; empty for all.
        tolerance: absolute tolerance; None for the tolerance of each case (1e-9 if the case sets none).
        jobs: how many backends compute at the same time.
        loose: whether files outside a case folder are compared. Candidates that the user did not name then
            only inform.
        group_by: a column of the tables of queries. Results are also given for each group of queries with the
            same value in this column. None for no groups.
        cache: folder in which results of cases are kept for later calls; None to keep nothing.
        options: settings that some backends need.
        given: id -> a backend object to use under that id. The id must also be named as candidate or
            reference.
    """

    measures: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    reference: str | None = None
    require: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    tolerance: float | None = None
    jobs: int = 2
    loose: bool = False
    group_by: str | None = None
    cache: Path | None = None
    options: Options = field(default_factory=Options)
    given: Mapping[str, Backend] = {}

    @property
    def candidates(self) -> tuple[str, ...]:
        """Ids of the backends to compare: ``backends``, else the default candidates."""
        return self.backends or registry.default_candidates()

    def backend(self, id: str) -> Backend:
        """The backend to use for an id."""
        return self.given.get(id) or registry.make(id, self.options)


class Timings(Struct):
    """The cost of a call as (seconds, peak bytes), per stage of this process and per backend.

    The peak bytes of a stage are the peak of the whole process up to the end of the stage; 0 if unknown.
    """

    stages: dict[str, tuple[float, int]] = {}
    #: (case, run, measure, candidate) -> seconds: the time of the call of the backend, divided equally among
    #: the measures of the call.
    comparisons: dict[Identity, float] = {}
    backends: dict[str, tuple[float, int]] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time inside the ``with`` block to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            before, _ = self.stages.get(name, (0.0, 0))
            self.stages[name] = (before + time.perf_counter() - start, peak_bytes())


class Project(NamedTuple):
    """``[tool.crosscheck]`` in ``pyproject.toml``: defaults for the commands and for pytest. A setting that
    is missing is empty or None."""

    backends: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    fail_on: FailOn | None = None
    timeout: float | None = None


def read_project(say: Callable[[str], None], *, quiet: bool) -> Project:
    """Read the settings in the working directory or in the nearest folder above it that has some.

    Settings in a case folder are not read, because a case is data and backends are code.

    Args:
        say: called with a message about each file that is skipped and, unless ``quiet``, about the file read.
        quiet: whether to say nothing about the file that is read.

    Raises:
        InputError: invalid TOML, an unknown key (with a suggestion), or a value that cannot be used.
    """
    folder = Path.cwd()
    for path in filter(os.path.isfile, (str(one / "pyproject.toml") for one in (folder, *folder.parents))):
        tool = read_table(path).tables("tool", single=True)
        tables = [table for part in tool for table in part.tables("crosscheck", single=True)]
        if not tables:
            continue
        shown = safe_text(os.path.relpath(path), 4096)
        if any(name.startswith("qrels") for name in os.listdir(os.path.dirname(path))):
            say(f"{shown} is not read, because it is in a case folder")
            continue
        table = tables[0]
        table.only("backends", "measures", "fail-on", "timeout")
        timeout, measures = table.number("timeout"), table.strings("measures")
        if timeout is not None and timeout <= 0:
            table.wrong("timeout", "a number of seconds above 0")
        try:
            parse_measures(measures)
        except UsageError as error:
            table.wrong("measures", "names of measures", problem=error.message, hint=error.hint or "")
        fail_on: Any = table.choice("fail-on", get_args(FailOn), "one of")
        if not quiet:
            say(f"settings of {shown}: {', '.join(table.content)}")
        return Project(table.strings("backends"), measures, fail_on, timeout)
    return Project()
