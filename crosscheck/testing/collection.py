"""Collectors and tests of pytest for cases: a file per case, a test per run, backend and measure."""

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import pytest
from msgspec.structs import replace

from crosscheck.backends.base import Options
from crosscheck.errors import CrosscheckError, quoted
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, run_with
from crosscheck.harness.document import summarise
from crosscheck.harness.runner import Planned, planned, references_of, unused
from crosscheck.harness.settings import Project, read_project
from crosscheck.model import Case, Expectation
from crosscheck.report import render
from crosscheck.results import Comparison, Document

__all__ = ["CaseFile"]


class CaseFile(pytest.File):
    """A case in pytest. Its comparisons are made once, when the first of its tests runs.

    Attributes:
        project: settings of the project, used where pytest's options set nothing.
        settings: settings of the comparisons. Backends that are named in the settings must be available.
    """

    @cached_property
    def project(self) -> Project:
        return read_project(lambda message: None, quiet=True)

    @cached_property
    def settings(self) -> Settings:
        options = Options(timeout=self.project.timeout or Options().timeout)
        named = self.config.getoption("--crosscheck-backend") or self.config.getini("crosscheck_backends")
        return Settings(backends=tuple(named) or self.project.backends, options=options)

    @cached_property
    def case(self) -> Case:
        (case,) = find_cases([str(self.path.parent)])
        return case if case.measures or case.published else replace(case, measures=self.project.measures)

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        try:
            plan, idle = planned(self.case, self.settings), unused(self.case, self.settings)
        except CrosscheckError as error:
            raise self.CollectError(str(error)) from None
        yield from _parts(self, self, plan, "run")
        for n, expectation in enumerate(idle, 1):
            check = partial(_refuse, self, expectation)
            yield _Check.from_parent(self, name=f"unused expectation {n}", case=self, check=check)

    @cached_property
    def document(self) -> Document:
        """The result of comparing the case with all backends that a selected test needs."""
        items = (i for i in self.session.items if isinstance(i, _Check) and i.case is self)
        named = (i.planned.candidate for i in items if i.planned)
        asked = {one for one in named if not one.startswith(("recorded:", "published"))}
        references = references_of(self.case, self.settings)
        document = run_with([self.case], replace(self.settings, backends=tuple(sorted(asked) or references)))
        if not document.complete:
            raise KeyboardInterrupt
        return document

    def check(self, planned: Planned) -> None:
        """Pass, skip or fail, by the result of the comparison.

        Raises:
            _Different: the result is not as expected.
        """
        document, candidate, measure = self.document, planned.candidate, planned.measure
        about = next((b for b in document.backends if b.id == candidate), None)
        if about is not None and not about.available:
            absent = f"{candidate} is not available: {about.reason}"
            if candidate in self.settings.backends:
                raise _Different(absent)
            pytest.skip(absent)
        c = next(c for c in document.comparisons if (c.run, c.candidate, c.measure) == planned)
        declared = any((candidate, measure) == (e.candidate, e.measure) for e in self.case.expectations)
        differs, fail_on = c.outcome == "mismatch" or c.stale, self.project.fail_on
        unexpected = not c.expected or (c.outcome == "unsupported" and declared)
        if fail_on == "mismatch" if differs and fail_on in ("mismatch", "never") else unexpected:
            raise _Different(_alone(document, c))
        if c.outcome == "unsupported":
            pytest.skip(c.message or f"{candidate} does not have {measure}")
        if c.outcome != "match":
            causes = ", ".join(c.diagnosis.causes) if c.diagnosis else c.outcome
            pytest.xfail(f"{causes}: {c.reason or 'not declared'}")


def _alone(document: Document, c: Comparison) -> str:
    """The report of one comparison."""
    others: dict[str, Any] = {"impacts": [], "groups": [], "tools": []}
    return render(replace(document, comparisons=[c], summary=summarise([c]), **others), "text")


def _refuse(case: CaseFile, e: Expectation) -> None:
    what = ", ".join([quoted(e.candidate), e.measure, *([quoted(e.run)] if e.run else [])])
    raise _Different(f"{case.path} expects something of {what}, and that is not compared: delete it")


class _Different(Exception):
    """The error for a comparison whose result is not as expected, or for an expectation that no comparison
    can meet."""


class _Tests(pytest.Collector):
    """The tests of one run, or of one backend on one run."""

    def __init__(self, *, case: CaseFile, members: list[Planned], **rest: Any) -> None:
        super().__init__(**rest)
        self.case, self.members = case, members

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        if self.parent is self.case:
            yield from _parts(self, self.case, self.members, "candidate")
            return
        for one in self.members:
            check = partial(self.case.check, one)
            item = _Check.from_parent(self, name=one.measure, case=self.case, check=check, planned=one)
            if self.config.pluginmanager.hasplugin("xdist"):
                # One worker runs all tests of a case: with --dist loadgroup, which pytest-xdist 3.8 does not
                # do under pytest 9.2, and with --dist loadfile.
                item.add_marker(pytest.mark.xdist_group(self.case.case.name))
            yield item


def _parts(parent: pytest.Collector, case: CaseFile, members: list[Planned], field: str) -> Iterator[_Tests]:
    """The tests by a field of the comparisons."""
    for name in dict.fromkeys(getattr(one, field) for one in members):
        some = [one for one in members if getattr(one, field) == name]
        yield _Tests.from_parent(parent, name=name, case=case, members=some)


class _Check(pytest.Item):
    """A test of a case. ``planned``: the comparison that the test needs, or None."""

    def __init__(
        self, *, case: CaseFile, check: Callable[[], None], planned: Planned | None = None, **rest: Any
    ) -> None:
        super().__init__(**rest)
        self.case, self.check, self.planned = case, check, planned

    def runtest(self) -> None:
        self.check()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, _Different | CrosscheckError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path, None, "::".join(self.planned or [self.name])
