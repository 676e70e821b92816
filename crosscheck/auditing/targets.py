"""Targets of an audit: a function or any backend, always called so that its loss is harmless."""

from __future__ import annotations

import inspect
import os
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from crosscheck import backends
from crosscheck.auditing.arguments import Materials, made, queries_of
from crosscheck.auditing.calls import Call, infer
from crosscheck.auditing.returned import one_value, table_of_values
from crosscheck.backends.base import Backend, Description, Options
from crosscheck.backends.outcomes import as_backend_error
from crosscheck.backends.python_callable import PythonCallable
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, UsageError
from crosscheck.model import Measure, MeasureValues, Qrels, Run

__all__ = ["CalledFunction", "target_of"]


@dataclass(frozen=True)
class CalledFunction:
    """A Python function with the protocol of a backend.

    The notes of its values hold one text, the call that was used. Without a given call, that is the first one
    suggested by the parameter names that returns a usable result.

    Attributes:
        id: its name in reports.
        call: the call, None to infer it from the parameter names.
        found: loads the function; or the function itself.
    """

    id: str
    call: Call | None
    found: PythonCallable | Callable[..., Any]
    isolated: bool = True
    conventions: Conventions | None = None
    _settled: list[Call] = field(default_factory=list, repr=False, compare=False)

    def describe(self) -> Description:
        if isinstance(self.found, PythonCallable):
            about = self.found.describe()
            return Description(self.id, "", self.id, about.available, about.reason)
        return Description(self.id, "", self.id, available=True)

    def supports(self, measure: Measure) -> bool:
        return True

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """One call per query and measure, or one per measure if the call passes all queries.

        Raises:
            BackendError: it cannot be loaded, its call is unknown, or it returned no number.
        """
        return {measure: self._measured(qrels, run, measure) for measure in measures}

    @cached_property
    def _function(self) -> Callable[..., Any]:
        return self.found.load() if isinstance(self.found, PythonCallable) else self.found

    def _measured(self, qrels: Qrels, run: Run, measure: Measure) -> MeasureValues:
        level = 1 if measure.rel is None else measure.rel
        materials = Materials(qrels, run, measure, level)
        if self.call is not None:
            return self._called(self.call, materials)
        if self._settled:
            return self._called(self._settled[0], materials)
        first: BackendError | None = None
        for call in infer(self._function, has_cutoff=measure.cutoff is not None):
            try:
                values = self._called(call, materials)
            except Exception as error:
                said = as_backend_error(error)
                first = first or BackendError(f"called as {call}: {said.message}")
                continue
            self._settled.append(call)
            return values
        raise first or BackendError(
            f"the parameters of {self.id} do not say how to call it: {self._signature()}",
            hint='say it with --call, such as --call "f(gains, k)"',
        )

    def _signature(self) -> str:
        try:
            return str(inspect.signature(self._function))[:200]
        except (TypeError, ValueError):
            return "it has no signature"

    def _called(self, call: Call, materials: Materials) -> MeasureValues:
        if not call.by_query:
            returned = self._ask(call, materials)
            values, mean = table_of_values(returned, materials.measure, materials.topics)
            return MeasureValues(values, mean, self.id, notes=(str(call),))
        by_query: dict[bytes, float] = {}
        for query in queries_of(materials, call):
            value = one_value(self._ask(call, query), materials.measure)
            if value is not None:
                by_query[query.topic] = value
        return MeasureValues(by_query, None, self.id, notes=(str(call),))

    def _ask(self, call: Call, source: Any) -> Any:
        positional = [made(argument, source) for argument in call.positional]
        return self._function(*positional, **{name: made(value, source) for name, value in call.keywords})


def target_of(
    target: str | Callable[..., Any] | Backend, call: Call | None, options: Options | None = None
) -> Backend:
    """The target of an audit, from its text or the object itself.

    Args:
        target: a backend id (``exec:COMMAND`` among them), ``package.module:function``,
            ``path/to/file.py:function``, a function, or a backend.
        call: the call of a function; None to infer it. Backends have none.

    Raises:
        UsageError: a text that is not one of these, or a call for a backend.
    """
    if not isinstance(target, str):
        if callable(target):
            return _of_function(target, call)
        return _without_call(target, call)
    name = target.partition(":")[0]
    if name in backends.factories():
        return _without_call(backends.make(target, options), call)
    module, colon, function = target.rpartition(":")
    if not colon or not module or not function:
        raise UsageError(
            f"{target!r} is not a metric",
            hint="write package.module:function, path/to/file.py:function, exec:COMMAND, or a backend: "
            + ", ".join(kind.usage for kind in backends.factories().values()),
        )
    return CalledFunction(f"{_short(module)}:{function}", call, PythonCallable(module, function))


def _without_call(backend: Backend, call: Call | None) -> Backend:
    if call is not None:
        raise UsageError(f"{backend.id} is a backend: how it is called is known")
    return backend


def _of_function(function: Callable[..., Any], call: Call | None) -> CalledFunction:
    inner = getattr(function, "func", function)  # functools.partial
    name = f"{getattr(inner, '__module__', '?')}:{getattr(inner, '__qualname__', type(inner).__name__)}"
    # A function that a child process could not import is called here: a lambda, a closure, one of __main__.
    importable = getattr(inner, "__module__", "__main__") != "__main__"
    if importable:
        try:
            pickle.dumps(function)
        except Exception:
            importable = False
    return CalledFunction(name, call, function, isolated=importable)


def _short(module: str) -> str:
    """A path relative to the working directory if that is shorter, so that reports do not contain home
    folders."""
    if os.path.isabs(module):
        try:
            return min(os.path.relpath(module), module, key=len)
        except ValueError:  # another drive
            return module
    return module
