"""Targets of an audit: a backend, or a function, which is wrapped as a backend; and the reader of its
results."""

import dataclasses
import inspect
import json
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from operator import itemgetter
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from crosscheck import backends
from crosscheck.auditing.calls import Call, Watch, returned_by, with_columns
from crosscheck.auditing.signatures import candidates, with_integers
from crosscheck.auditing.words import LABELLED, ROWS, Materials
from crosscheck.backends.base import Backend, Description, Options
from crosscheck.backends.outcomes import as_backend_error, as_float, kind, printable
from crosscheck.backends.python_callable import PythonCallable
from crosscheck.errors import ArgumentError, BackendError, UsageError, in_short, quoted
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import accepted, family_words, is_measure, parse_measure

#: What an audit can be made of: see :func:`target_of`.
Target: TypeAlias = str | Callable[..., Any] | Backend
#: Measure for a metric of which it is not known what it computes; its cutoff is passed to the metric.
UNNAMED = Measure("", cutoff=5)
#: The end of the error for a list that leaves out queries.
ONE_FOR_EACH = "values, one for each query"
#: Names of a mean among the keys of a dict.
_MEANS = {"mean", "average", "avg", "macro", "all", "overall", "aggregate", "aggregated"}
#: Length of the longest returned sequence in which a single item is looked for.
_MOST_RETURNED = 30


class ByPosition(Exception):
    """Raised if a result contains one value per query without ids, and the queries of qrels and run were
    passed in different orders, so that the order of the values is not known."""


class ResultReader(Struct, frozen=True, eq=False):
    """Finds the values of a measure in the result of a function.

    Attributes:
        topics: query as text -> topic id.
        order: the topics that were passed, in order; empty if a single query was passed.
        passed_name: the name of the measure that was passed to the function; empty if none was passed.
        aligned: whether all arguments list the queries in the order of ``order``.
        docnos: docnos, which cannot be the key of the measure's value in a dict.
    """

    measure: Measure
    topics: Mapping[str, bytes] = {}
    order: Sequence[bytes] = ()
    passed_name: str = ""
    aligned: bool = True
    docnos: frozenset[str] = frozenset()

    def value(self, returned: Any) -> float | None:
        """The value in the result for one query: the result itself, if it is a number or None (no value); or
        the measure's entry, if it is a dict.

        Raises:
            BackendError: the result is anything else.
        """
        if returned is None:
            return None
        returned = _as_dict(returned)
        if isinstance(returned, Mapping):
            missing = f"without {self.measure}" if self.measure.family else "instead of one value"
            return self.value(self._entry(returned, missing))
        if (number := _number(returned)) is None:
            raise BackendError(f"the function returned {kind(returned)} instead of a number")
        return number

    def table(self, returned: Any) -> tuple[dict[bytes, float], float | None]:
        """Values per query, and the mean, in the result for all queries.

        Accepted results: ``{query: value}``, ``{query: {measure: value}}``, ``{measure: {query: value}}``, a
        data frame or a list of dicts with one row per query, a list of (query, value) pairs, ``{measure:
        mean}``, one number (the mean), or a list of one number for each query that was passed. The mean may
        also stand among the queries, or beside a dict of them.

        Raises:
            ByPosition: the result is a list, and the queries were not passed in one order.
            BackendError: the result is anything else.
        """
        returned = _as_dict(returned)
        if hasattr(returned, "to_dicts"):  # of polars
            returned = returned.to_dicts() or {}
        if hasattr(returned, "to_dict") and hasattr(returned, "index"):
            if getattr(returned, "ndim", 0) == 1:
                returned = returned.to_dict()
            else:  # the queries are a column, whatever its name, or the index
                rows, named = returned.to_dict("records"), returned.to_dict("index")
                numbered = [*named] == [*range(len(rows))]  # not by query, even if a query is called 0
                returned = self._of_rows(rows) or (self._of_row(rows) if numbered else None) or named
        if isinstance(returned, list) and all(isinstance(row, Mapping) for row in returned):
            returned = self._of_rows(returned) or self._of_row(returned) or returned
        elif isinstance(returned, list) and all(type(row) is tuple and len(row) == 2 for row in returned):
            returned = dict(returned) if self._by_query(query for query, _ in returned) else returned
        numbers = _numbers(returned)  # an array of one number is the value of one query, not a mean
        number = None if numbers and len(numbers) == len(self.order) else _number(returned)
        if number is not None or returned is None:
            return {}, number
        if numbers and len(numbers) == len(self.order):
            if not self.aligned:
                raise ByPosition
            return dict(zip(self.order, numbers, strict=True)), None
        if numbers is not None and self.order:
            raise BackendError(f"the function returned {len(numbers)} of {len(self.order)} {ONE_FOR_EACH}")
        if not isinstance(returned, Mapping):
            got = kind(returned)
            raise BackendError(f"the function returned {got}; expected {{query: value}} or a number")
        apart = (returned, None) if self._by_query(returned) else self._with_mean(returned)
        if apart is None:
            return self.table(self._entry(returned, f"that has neither queries nor {self.measure} as keys"))
        values = {self.topics[str(query)]: self.value(entry) for query, entry in apart[0].items()}
        return {topic: value for topic, value in values.items() if value is not None}, apart[1]

    def _with_mean(self, returned: Mapping[Any, Any]) -> tuple[Mapping[Any, Any], float | None] | None:
        """The entries of queries in a dict, and the mean, if one entry is named as a mean, and the queries,
        if there are any, stand beside it or are all in one other entry; else None."""
        others = {key: value for key, value in returned.items() if str(key) not in self.topics}
        queries = {key: value for key, value in returned.items() if key not in others}
        tables = {key: of for key, of in others.items() if isinstance(of, Mapping) and self._by_query(of)}
        means = [of for key, of in others.items() if key not in tables and self._is_mean(str(key))]
        apart = [queries] * (bool(queries) or len(returned) == 1) + [*tables.values()]
        if len(apart) == len(means) == 1:
            with suppress(BackendError):
                return apart[0], self.value(means[0])
        return None

    def _is_mean(self, key: str) -> bool:
        """Whether a key of a dict is a name of a mean: ``mean``, ``all``, ``mean_ap``, or the measure's."""
        whole = re.sub(r"(?i)^(mean|average|avg|macro)[ _-]|[ _-](mean|average|avg|macro)$", "", key)
        return key.lower() in _MEANS or _same_measure(whole, self.measure)

    def picks(self, returned: Any) -> list[str]:
        """Python text that selects the measure's value in a result, such as ``['recall']`` or ``.recall``,
        for each item or attribute that may contain it, likeliest first; an empty text if perhaps nothing has
        to be selected. Empty if nothing has to be."""
        numbers = _numbers(returned) or ()
        if len(self.order) > 1 == len(numbers):
            return ["[0]"]
        # A tuple has the values of all queries, or a mean and its standard deviation.
        unsure = isinstance(returned, tuple) and 0 < len(numbers) == len(self.order)
        if self.order and not unsure:
            with suppress(BackendError):
                with suppress(ByPosition):
                    self.table(returned)
                return []
        if returned is None or _number(returned) is not None or isinstance(returned, str | bytes):
            return []
        if isinstance(returned, Mapping) and (hasattr(returned, "columns") or self._entries(returned)):
            return []
        picks: list[str] = []
        for pick, value in self._parts(returned):
            table = isinstance(value, Mapping) and (self._by_query(value) or self._entries(value))
            listed = self.order and len(_numbers(value) or ()) == len(self.order)
            if table or listed or _number(value) is not None:
                picks.append(pick)
            elif isinstance(value, Mapping | tuple):
                picks += [pick + more for more in self.picks(value)]
        names = "|".join("_*".join(map(re.escape, word)) for word in family_words(self.measure))
        return [""] * unsure + sorted(picks, key=lambda pick: not re.search(rf"(?i)\W(?:{names})", pick))

    def _parts(self, returned: Any) -> list[tuple[str, Any]]:
        """(Python text that selects an item or attribute, its value) for each item or attribute of a result,
        without those that are named after a different measure."""
        if isinstance(returned, Mapping):
            ids = self.topics.keys() | self.docnos
            keys = [key for key in returned if isinstance(key, str | int) and str(key) not in ids]
            return [(f"[{key!r}]", returned[key]) for key in keys if not is_measure(str(key))]
        fields = getattr(returned, "_fields", None)
        if fields or (hasattr(returned, "__dict__") and not hasattr(returned, "__len__")):
            return [(f".{name}", getattr(returned, name)) for name in fields or vars(returned)]
        items = returned if isinstance(returned, Sequence) else _numbers(returned) or ()
        parts = [(f"[{place}]", value) for place, value in enumerate(items)]
        # There may be one item for each cutoff.
        parts.sort(key=lambda part: part[0] != f"[{(self.measure.cutoff or 0) - 1}]")
        last = [("[-1]", items[-1])] * (len(items) > 1)
        # The last item is that of any cutoff if there is one for each rank down to it.
        ordered = last + parts if len(items) == self.measure.cutoff else parts + last
        return ordered[:1] if len(items) > _MOST_RETURNED else ordered

    def _by_query(self, keys: Iterable[Any]) -> bool:
        """Whether all keys are ids of queries."""
        return all(str(key) in self.topics for key in keys)

    def _of_rows(self, rows: Sequence[Mapping[Any, Any]]) -> dict[Any, Any] | None:
        """Query -> row, for rows as dicts with an entry for the query, whatever its name; None if no entry
        contains queries. If some entries name the measure, only rows with one count. If no key names it, the
        value stands for the row that is named ``value`` or ``score``."""
        rows = [row for row in rows if self._names(row)] or rows
        for name in rows[0] if rows else ():
            queries = [str(row.get(name)) for row in rows]
            if len({*queries}) == len(queries) and self.topics.keys() >= {*queries}:
                others = [{key: value for key, value in row.items() if key != name} for row in rows]
                usual = () if self._entries(others[0]) else ("value", "score", "val")
                named = [key for key in others[0] if str(key).lower() in usual]
                return dict(zip(queries, [of.get(named[0]) if named else of for of in others], strict=True))
        return None

    def _of_row(self, rows: Sequence[Mapping[Any, Any]]) -> Mapping[Any, Any] | None:
        """The only row, or the only row about the measure, as a dict of means; None if there are more. If an
        entry names the measure, and one is a number, this is the measure's mean."""
        about = [row for row in rows if self._names(row)]
        if len(about or rows) != 1:
            return None
        numbers = [number for value in (about or rows)[0].values() if (number := _number(value)) is not None]
        return {str(self.measure): numbers[0]} if about and len(numbers) == 1 else rows[0]

    def _names(self, row: Mapping[Any, Any]) -> bool:
        """Whether an entry is a name of the measure."""
        return any(isinstance(text, str) and _same_measure(text, self.measure) for text in row.values())

    def _entry(self, returned: Mapping[Any, Any], missing: str) -> Any:
        """The likeliest value of a dict whose keys name the measure.

        Raises:
            BackendError: there is none; the message says what is ``missing``, and the first keys.
        """
        if entries := self._entries(returned):
            return entries[0]
        keys = ", ".join(quoted(printable(str(key), 40)) for key in list(returned)[:5]) or "it is empty"
        raise BackendError(f"the function returned a dict {missing}: {keys}")

    def _entries(self, returned: Mapping[Any, Any]) -> list[Any]:
        """The values of a dict whose keys name the measure, likeliest first: the name that was passed, the
        measure's name, its cutoff alone, its name without the cutoff. For :data:`UNNAMED`, the only value.
        """
        named = {key: value for key, value in returned.items() if isinstance(key, str)}
        entries = [*returned.values()] * (self.measure.family == UNNAMED.family and len(returned) == 1)
        entries += [value for key, value in named.items() if key and key == self.passed_name]
        for key, value in returned.items():
            if key in named and _same_measure(key, self.measure):
                entries.append(value)
            if isinstance(value, Mapping):  # {"P": {5: value}}
                entries += (v for k, v in value.items() if _same_measure(f"{key}@{k}", self.measure))
        cutoff = self.measure.cutoff
        if cutoff is not None:
            entries += (returned[key] for key in (cutoff, str(cutoff)) if key in returned)
            whole = replace(self.measure, cutoff=None)
            entries += (value for key, value in named.items() if _same_measure(key, whole))
        return entries


def _as_dict(returned: Any) -> Any:
    """A dataclass, a named tuple, or a float and a dict, which is the mean of the dict, as a dict; a dict in
    JSON."""
    if isinstance(returned, str) and returned.lstrip().startswith("{"):
        with suppress(ValueError):
            return json.loads(returned)
    if dataclasses.is_dataclass(returned) and not isinstance(returned, type):
        return dataclasses.asdict(returned)
    if hasattr(returned, "_asdict"):
        return returned._asdict()
    if isinstance(returned, tuple) and len(returned) == 2:
        mean, values = sorted(returned, key=lambda of: isinstance(of, Mapping))
        if isinstance(mean, float) and isinstance(values, Mapping):
            return {"mean": mean, "": values}
    return returned


def _same_measure(name: str, measure: Measure) -> bool:
    """Whether a key of a dict is a name of the measure; ``_at_`` stands for ``@``."""
    names = (name, name.replace("_at_", "@"), name.upper().replace("_AT_", "@"))
    return any(is_measure(one) and parse_measure(one) == measure for one in names)


def _numbers(returned: Any) -> list[float] | None:
    """The numbers in a list, tuple or one-dimensional array; None for anything else."""
    if hasattr(returned, "tolist") and not hasattr(returned, "columns"):
        returned = returned.tolist()
    if not isinstance(returned, list | tuple):
        return None
    numbers = [number for value in returned if (number := _number(value)) is not None]
    return numbers if len(numbers) == len(returned) else None


def _number(value: Any) -> float | None:
    """A value as a number: a number itself, or the element of an array or tensor with exactly one element;
    None for anything else."""
    if hasattr(value, "item"):
        count = value.numel() if hasattr(value, "numel") else getattr(value, "size", None)
        value = value.item() if count == 1 else value
    return as_float(value)


#: Seconds that the imports of a module may take. The time limit of a call starts after the imports.
_IMPORTS = 600.0


class CalledFunction(Backend, Struct, frozen=True, eq=False):
    """Wraps a user's function or class so that it can be used as a backend.

    Attributes:
        id: name of the function in reports.
        call: the call; None if it is not known yet.
        found: the function or class, or the object that loads it in a child process.
        listing: whether :meth:`evaluate` only lists possible calls. The notes of its answers then contain
            each call that the signature allows and that returns a number on the input, likeliest first, as a
            text of its cost, a blank and the call.
        watch: keeps the arguments from call to call. The notes of answers then name the arguments that the
            function modified.
    """

    id: str
    call: Call | None
    found: PythonCallable | Callable[..., Any]
    isolated: bool = True
    listing: bool = False
    watch: Watch | None = None
    start_seconds = _IMPORTS

    def describe(self) -> Description:
        found = self.found
        return self.description(found.describe().reason if isinstance(found, PythonCallable) else None)

    def prepare(self) -> None:
        assert self._loaded is not None

    def supports(self, measure: Measure) -> bool:
        return True

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values from one call per query and measure, or one per measure if the call passes all queries.

        Raises:
            BackendError: the function cannot be loaded, no call is known that works, or it returned no
                number.
        """
        if self.listing:
            return {m: self._possible(qrels, run, m) for m in measures}
        return {m: self._values(Materials(qrels, run, m, self.call_for(m))) for m in measures}

    def call_for(self, measure: Measure) -> Call:
        """The call with which the function is called for a measure."""
        assert self.call is not None
        return self.call

    @property
    def _loaded(self) -> tuple[Any, str | None]:
        """The function or class, and the name of the method if the function is a method of the class."""
        return _load(self.found) if isinstance(self.found, PythonCallable) else (self.found, None)

    def _values(self, materials: Materials) -> MeasureValues:
        """Call the function and read its results. The notes contain the call, or the modified arguments."""
        function, call, calls = self._loaded[0], materials.call, materials.sources
        if self.watch is not None:
            self.watch.modified.clear()
        # One result is read before the next call, because it may be an argument.
        results = (returned_by(function, call, sources, self.watch) for sources in calls)
        reader, mean = _reader(materials), None
        if not materials.call.by_query:
            try:
                values, mean = reader.table(next(results))
            except ByPosition:
                return self._values(replace(materials, aligned=True))
        else:
            of_queries = zip(materials.queries, results, strict=True)
            read = {query.topic: reader.value(result) for query, result in of_queries}
            values = {topic: value for topic, value in read.items() if value is not None}
            if call.adding:
                result = returned_by(function, call, [source for one in calls for source in one])
                with suppress(BackendError):
                    mean = reader.value(result)
        notes = (str(call),) if self.watch is None else tuple(sorted(self.watch.modified))
        return MeasureValues(values, mean, self.id, notes=notes)

    def _possible(self, qrels: Qrels, run: Run, measure: Measure) -> MeasureValues:
        """The calls that the signature allows and that return a number, as notes; see ``listing``."""
        function, method = self._loaded
        errors: list[tuple[bool, BackendError]] = []
        possible, records = dict[str, None](), set[str]()
        nothing = Materials(qrels, run, measure, Call("f()"))
        calls = candidates(function, method, has_cutoff=measure.cutoff is not None)
        # A function of frames or tensors has most likely imported their package: other calls are tried first.
        for cost, call in sorted(calls, key=lambda entry: not entry[1].slow_packages <= sys.modules.keys()):
            slow = not call.slow_packages <= sys.modules.keys()
            # A function of rows accepts nothing else, unless it reads keys with get().
            of_rows = call.words & (ROWS | LABELLED) and not (call.names_columns or call.passes_files)
            alike = str(call).replace("relevant_ids", "relevant_id")  # one document, or a list of them
            if possible and (slow or of_rows or (call.passes_records and alike not in records)):
                continue
            try:
                for working, doubt in self._with_names(replace(nothing, call=call)):
                    possible[f"{cost + doubt} {working}"] = None
                    records.add(alike)
            except Exception as error:
                told = BackendError(f"called as {call}: {as_backend_error(error).message}")
                errors.append((isinstance(error, BackendError), told))
        if possible:
            return MeasureValues({}, None, self.id, notes=tuple(possible))
        signature = "it has no signature"
        with suppress(TypeError, ValueError):
            signature = str(inspect.signature(function))[:200]
        if errors:  # a call that returned anything is likelier than one on which the function fails
            raise max(errors, key=itemgetter(0))[1]
        problem = f"the parameters of {self.id} do not show how to call it: {signature}"
        raise BackendError(problem, hint='give the call, for example --call "f(gains, k)"')

    def _with_names(self, materials: Materials) -> list[tuple[Call, int]]:
        """The calls that work, with the measure's name in each spelling that the function accepts. Each call
        comes with a further cost: 1 if the function may ignore the name, else 0.

        Raises:
            Exception: the exception for the first spelling, if no spelling works.
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
            raise errors[0] if errors else BackendError("the function takes a measure's name: name one")
        return [(call, int(not known)) for template in templates for call in working[template]]

    def _working(self, materials: Materials) -> list[Call]:
        """The calls that work, made from one call: its columns are renamed as the function needs, and if the
        function returns several numbers, there is one call to select each.

        Raises:
            Exception: an exception that the function raised; a BackendError if it returned no number.
        """
        call = materials.call
        try:
            result = returned_by(self._loaded[0], call, materials.sources[0])
        except Exception as error:
            working = list[Call]()
            for renamed in with_columns(call, error) + with_integers(call, error):
                try:
                    working += self._working(replace(materials, call=renamed))
                except Exception as later:
                    error = later
            if working:
                return working
            raise error from None
        # Where lists of queries are compared by position, a vector has a number for each document.
        rows = not call.by_query or "([" in str(call)
        if rows and len(_numbers(result) or ()) in {len(query.lines) for query in materials.queries} - {1}:
            raise BackendError("the function returned a number for each document")
        docnos = frozenset(line.docno for query in materials.queries for line in query.lines)
        calls = [Call(f"{call}{pick}") for pick in replace(_reader(materials), docnos=docnos).picks(result)]
        given = None if calls else self._values(materials)
        if given is not None and result is not None and not given.values and given.mean is None:
            raise BackendError("the function returned no value of an ordinary query")
        return calls or [call]


def _reader(materials: Materials) -> ResultReader:
    """The reader of the results of a call with these materials."""
    call = materials.call
    order = () if call.by_query else [query.topic for query in materials.queries]
    aligned = materials.aligned or not call.named_queries
    return ResultReader(materials.measure, materials.topics, order, materials.passed_name, aligned)


@cache
def _load(target: PythonCallable) -> tuple[Any, str | None]:
    owner, function = target.held
    if inspect.isclass(owner) and inspect.isfunction(inspect.getattr_static(owner, function.__name__, None)):
        return owner, function.__name__
    return function, None


def target_of(target: Target, call: Call | None, options: Options | None = None) -> Backend:
    """The backend to audit, made from the target that the user named.

    Args:
        target: a backend id such as ``exec:COMMAND``, ``package.module:function``,
            ``path/to/file.py:function``, a function, or a backend.
        call: the call of a function; None to find it. A backend has no call.

    Raises:
        UsageError: the text has none of these forms, or a call is given for a backend.
    """
    if isinstance(target, CalledFunction):
        return target if call is None else replace(target, call=call)
    if isinstance(target, str) and target.partition(":")[0] not in backends.factories():
        module, _, function = target.rpartition(":")
        if module and function:
            return CalledFunction(f"{_short(module)}:{function}", call, PythonCallable(module, function))
        forms = "package.module:function, path/to/file.py:function, exec:COMMAND, or a backend"
        usages = ", ".join(kind.usage for kind in backends.factories().values())
        raise UsageError(f"{target!r} is not a metric", hint=f"write {forms}: {usages}")
    if callable(target):
        return _of_function(target, call)
    backend = backends.make(target, options) if isinstance(target, str) else target
    if not hasattr(backend, "evaluate"):
        hint = "name a backend (crosscheck backends lists them), or give a function"
        raise ArgumentError(f"{in_short(target)} is no backend", hint=hint)
    if call is not None:
        problem = f"{backend.id} is a backend, so a call cannot be given for it"
        raise UsageError(problem, hint="leave out --call")
    return backend


def _of_function(function: Callable[..., Any], call: Call | None) -> CalledFunction:
    """The backend for a function object."""
    inner = getattr(function, "func", function)  # functools.partial
    name = f"{getattr(inner, '__module__', '?')}:{getattr(inner, '__qualname__', type(inner).__name__)}"
    # A function that a child process could not import is called here: a lambda, a closure, one of __main__.
    importable = False
    with suppress(Exception):
        if getattr(inner, "__module__", "__main__") != "__main__":
            pickle.dumps(function)
            importable = True
    return CalledFunction(name, call, function, isolated=importable)


def _short(module: str) -> str:
    """A path relative to the working directory if that is shorter, so that reports do not contain home
    folders."""
    with suppress(ValueError):  # another drive
        return min(os.path.relpath(module), module, key=len) if os.path.isabs(module) else module
    return module
