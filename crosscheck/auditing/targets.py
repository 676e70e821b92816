"""Targets of an audit: any backend, or a function, which becomes a backend."""

from __future__ import annotations

import inspect
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from crosscheck import backends
from crosscheck.auditing.calls import Call, returned_by, with_column
from crosscheck.auditing.returned import ByPosition, ResultReader
from crosscheck.auditing.signatures import candidates
from crosscheck.auditing.words import FRAMES, LABELLED, ROWS, Materials
from crosscheck.backends.base import Backend, Description, Options
from crosscheck.backends.outcomes import as_backend_error
from crosscheck.backends.python_callable import PythonCallable
from crosscheck.conventions import Conventions
from crosscheck.errors import ArgumentError, BackendError, UsageError, quoted
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names.spelling import accepted

__all__ = ["CalledFunction", "target_of"]


#: Seconds for the imports of a module; the limit of a call starts after them.
_IMPORTS = 600.0


class CalledFunction(Struct, frozen=True, eq=False):
    """A Python function or class with the protocol of a backend.

    Attributes:
        id: name of the function in reports.
        call: the call; None if it is not known yet.
        found: the object that loads the function; or the function itself.
        listing: whether :meth:`evaluate` only lists possible calls: the notes of its answers hold the calls
            that the signature allows and that return a number on the input, each as text after its cost and
            a blank, likeliest first.
    """

    id: str
    call: Call | None
    found: PythonCallable | Callable[..., Any]
    isolated: bool = True
    conventions: Conventions | None = None
    listing: bool = False
    greets = True

    def describe(self) -> Description:
        if isinstance(self.found, PythonCallable):
            about = self.found.describe()
            return Description(
                id=self.id,
                version="",
                engine=self.id,
                available=about.available,
                reason=about.reason,
                start_seconds=_IMPORTS,
            )
        return Description(id=self.id, version="", engine=self.id, available=True)

    def supports(self, measure: Measure) -> bool:
        """True; the function is imported here, and an exception is raised if it cannot be."""
        return self._loaded is not None

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values from one call per query and measure, or one per measure if the call passes all queries.

        Raises:
            BackendError: the function cannot be loaded, no call is known that works, or it returned no
                number.
        """
        if self.listing:
            return {
                m: MeasureValues({}, None, self.id, notes=self._possible(qrels, run, m)) for m in measures
            }
        return {m: self._values(Materials(qrels, run, m, self.call_for(m))) for m in measures}

    def call_for(self, measure: Measure) -> Call:
        """The call for a measure."""
        assert self.call is not None
        return self.call

    @property
    def _loaded(self) -> tuple[Any, str | None]:
        """The function or class, and the method if it needs an object."""
        return _load(self.found) if isinstance(self.found, PythonCallable) else (self.found, None)

    def _values(self, materials: Materials) -> MeasureValues:
        results = [returned_by(self._loaded[0], materials.call, source) for source in materials.sources]
        reader, mean = _reader(materials), None
        if not materials.call.by_query:
            try:
                values, mean = reader.table(results[0])
            except ByPosition:
                return self._values(replace(materials, aligned=True))
        else:
            of_queries = zip(materials.queries, results, strict=True)
            read = {query.topic: reader.value(result) for query, result in of_queries}
            values = {topic: value for topic, value in read.items() if value is not None}
        return MeasureValues(values, mean, self.id, notes=(str(materials.call),))

    def _possible(self, qrels: Qrels, run: Run, measure: Measure) -> tuple[str, ...]:
        function, method = self._loaded
        first: BackendError | None = None
        possible: dict[str, None] = {}
        nothing = Materials(qrels, run, measure, Call(()))
        for cost, call in candidates(function, method, has_cutoff=measure.cutoff is not None):
            if possible and "pandas" not in sys.modules and not call.words.isdisjoint(FRAMES):
                continue  # slow to import, and whoever takes data frames has most likely imported it
            if possible and not call.words.isdisjoint(ROWS | LABELLED):
                continue  # whoever takes these cannot do with anything else
            try:
                for working, doubt in self._with_names(replace(nothing, call=call)):
                    possible[f"{cost + doubt} {working}"] = None
            except Exception as error:
                first = first or BackendError(f"called as {call}: {as_backend_error(error).message}")
        if possible:
            return tuple(possible)
        raise first or BackendError(
            f"the parameters of {self.id} do not say how to call it: {self._signature()}",
            hint='say it with --call, such as --call "f(gains, k)"',
        )

    def _with_names(self, materials: Materials) -> list[tuple[Call, int]]:
        """Calls that work, with the name of the measure in each spelling that the function accepts; each with
        1 if the function may ignore the name, else 0.

        Raises:
            Exception: that of the first spelling, if none works.
        """
        if not materials.call.spellings:
            return [(call, 0) for call in self._working(materials)]
        working: dict[str, list[Call]] = {}
        errors: list[Exception] = []

        def ask(template: str) -> str | None:
            call = materials.call.spelling(template)
            try:
                working[template] = self._working(replace(materials, call=call))
                answers = [self._values(replace(materials, call=one)) for one in working[template]]
            except Exception as error:
                errors.append(error)
                return None
            return repr([(answer.values, answer.mean) for answer in answers])

        templates, known = accepted(materials.measure, ask)
        if not templates:
            raise errors[0] if errors else BackendError("nobody said which measure to ask it for")
        return [(call, int(not known)) for template in templates for call in working[template]]

    def _working(self, materials: Materials) -> list[Call]:
        """Calls that work: with the column names that the function needs, one for each returned value that
        may be meant.

        Raises:
            Exception: an exception of the function, or a BackendError if it returns no number.
        """
        call = materials.call
        try:
            result = returned_by(self._loaded[0], call, materials.sources[0])
        except (KeyError, AttributeError) as error:
            if (renamed := with_column(call, error)) is None:
                raise
            return self._working(replace(materials, call=renamed))
        calls = [call.picking(*picks) for picks in _reader(materials).picks(result)]
        if not calls:
            self._values(materials)
        return calls or [call]

    def _signature(self) -> str:
        try:
            return str(inspect.signature(self._loaded[0]))[:200]
        except (TypeError, ValueError):
            return "it has no signature"


def _reader(materials: Materials) -> ResultReader:
    call = materials.call
    order = () if call.by_query else [query.topic for query in materials.queries]
    aligned = materials.aligned or not call.named_queries
    return ResultReader(materials.measure, materials.topics, order, materials.passed_name, aligned)


@cache
def _load(found: PythonCallable) -> tuple[Any, str | None]:
    function = found.load()
    owner = found.owner
    if inspect.isclass(owner) and inspect.isfunction(inspect.getattr_static(owner, function.__name__, None)):
        return owner, function.__name__
    return function, None


def target_of(
    target: str | Callable[..., Any] | Backend, call: Call | None, options: Options | None = None
) -> Backend:
    """The target of an audit, from its text or the object itself.

    Args:
        target: a backend id (``exec:COMMAND`` among them), ``package.module:function``,
            ``path/to/file.py:function``, a function, or a backend.
        call: the call of a function; None to infer it. Backends have none.

    Raises:
        UsageError: a text of another form, or a call for a backend.
    """
    if isinstance(target, CalledFunction):
        return target if call is None else replace(target, call=call)
    if not isinstance(target, str):
        if callable(target):
            return _of_function(target, call)
        if not hasattr(target, "evaluate"):
            raise ArgumentError(
                f"{quoted(repr(target), 60)[1:-1]} is no backend",
                hint="name one (crosscheck backends lists them), or give a function",
            )
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
