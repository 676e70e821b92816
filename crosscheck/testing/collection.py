"""Collectors and tests of pytest for cases: a file per case, a test per run, backend and measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import pytest
from msgspec import structs

from crosscheck.errors import CrosscheckError, quoted
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, run_with
from crosscheck.harness.plan import Planned, planned, unused
from crosscheck.harness.runner import own_measures, references_of
from crosscheck.harness.summary import summarise
from crosscheck.model import Case, Expectation
from crosscheck.report import render
from crosscheck.results import Comparison, Document

__all__ = ["CaseFile"]


class CaseFile(pytest.File):
    """A case; its comparisons are made once, when the first of its tests runs.

    Attributes:
        backends: ids that must be available; empty for the default candidates.
    """

    backends: tuple[str, ...]

    def __init__(self, *, backends: tuple[str, ...], **rest: Any) -> None:
        super().__init__(**rest)
        self.backends = backends

    @cached_property
    def case(self) -> Case:
        (case,) = find_cases([str(self.path.parent)])
        return case

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        settings = Settings(backends=self.backends)
        try:
            found, idle = planned(self.case, settings), unused(self.case, settings)
        except CrosscheckError as error:
            raise self.CollectError(str(error)) from None
        for run in dict.fromkeys(one.run for one in found):
            yield _Group.from_parent(self, name=run, case=self, members=[o for o in found if o.run == run])
        for n, expectation in enumerate(idle, 1):
            yield _Unused.from_parent(self, name=f"unused expectation {n}", expectation=expectation)

    @cached_property
    def document(self) -> Document:
        """The result of comparing the case with all backends that a selected test needs."""
        items = [i for i in self.session.items if isinstance(i, _Comparison) and i.case is self]
        saved = ("recorded:", "published")
        asked = {i.planned.candidate for i in items if not i.planned.candidate.startswith(saved)}
        settings = Settings(backends=self.backends)
        backends = tuple(sorted(asked) or references_of(self.case, settings, own_measures(self.case)))
        document = run_with([self.case], replace(settings, backends=backends))
        if not document.complete:
            raise KeyboardInterrupt
        return document


class _Group(pytest.Collector):
    """The tests of one run, or of one backend on one run."""

    def __init__(self, *, case: CaseFile, members: list[Planned], **rest: Any) -> None:
        super().__init__(**rest)
        self.case, self.members = case, members

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        if not isinstance(self.parent, _Group):
            for candidate in dict.fromkeys(one.candidate for one in self.members):
                some = [one for one in self.members if one.candidate == candidate]
                yield _Group.from_parent(self, name=candidate, case=self.case, members=some)
            return
        for one in self.members:
            item = _Comparison.from_parent(self, name=one.measure, case=self.case, planned=one)
            # One worker runs all tests of a case: with --dist loadgroup, which pytest-xdist 3.8 does not do
            # under pytest 9.2, and with --dist loadfile.
            item.add_marker(pytest.mark.xdist_group(self.case.case.name))
            yield item


class _Comparison(pytest.Item):
    """The test of one comparison."""

    def __init__(self, *, case: CaseFile, planned: Planned, **rest: Any) -> None:
        super().__init__(**rest)
        self.case, self.planned = case, planned

    def runtest(self) -> None:
        document = self.case.document
        found = next(c for c in document.comparisons if (c.run, c.candidate, c.measure) == self.planned)
        about = next((b for b in document.backends if b.id == found.candidate), None)
        if about is not None and not about.available and found.candidate not in self.case.backends:
            pytest.skip(f"{found.candidate} is not available: {about.reason}")
        if not found.expected:
            raise _Different(document, found)
        if found.outcome == "unsupported":
            if any(self.planned[1:] == (e.candidate, e.measure) for e in self.case.case.expectations):
                raise _Different(document, found)
            pytest.skip(f"{found.candidate} does not have {found.measure}")
        if found.outcome != "match":
            pytest.xfail(
                f"{', '.join(found.diagnosis.causes) if found.diagnosis else found.outcome}: {found.reason}"
            )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, _Different | CrosscheckError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path, None, "::".join(self.planned)


class _Different(Exception):
    """A comparison that did not come out as expected; its text is the report of this comparison alone."""

    def __init__(self, document: Document, found: Comparison) -> None:
        alone = structs.replace(
            document, comparisons=[found], summary=summarise([found]), impacts=[], groups=[], tools=[]
        )
        super().__init__(render(alone, "text"))


class _Unused(pytest.Item):
    """An expectation that no comparison can meet."""

    def __init__(self, *, expectation: Expectation, **rest: Any) -> None:
        super().__init__(**rest)
        self.expectation = expectation

    def runtest(self) -> None:
        raise AssertionError

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        e = self.expectation
        what = ", ".join([quoted(e.candidate), e.measure, *([quoted(e.run)] if e.run else [])])
        return f"{self.path} expects something of {what}, and that is not compared: delete it"

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path, None, self.name
