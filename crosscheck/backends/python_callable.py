"""The backends ``python:MODULE:FUNCTION`` and ``python:FILE.py:FUNCTION``: a user's own metric.

The function is called as ``function(qrels, run)`` with dicts of dicts, as for pytrec_eval, or as
``function(run, qrels)`` if the names of its parameters say so. It returns {query: value}.
"""

import copy
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from crosscheck.backends.base import Backend, BackendFactory, Description, Options
from crosscheck.backends.outcomes import FinalError, as_backend_error, as_float, kind, printable, refusal
from crosscheck.backends.texts import as_texts, nested_qrels
from crosscheck.errors import BackendError, UsageError, did_you_mean, quoted
from crosscheck.measures import needs_of
from crosscheck.model import Measure, MeasureValues, Needs, Qrels, Run
from crosscheck.names import accepted, is_measure, measure_parameter, said_by, spelt

#: Query -> docno -> level, in rank order: the input on which spellings of a measure's name are tried.
_LEVELS = {
    "1": {"a": 2, "b": 0, "c": 1, "d": 0, "e": 1, "f": 3},
    "2": {"a": 0, "b": 1, "c": 0, "d": 2, "e": 0},
}
_CUTOFFS = frozenset(("k", "cutoff"))
#: Names of the parameters of functions that take the run first.
_RUN = re.compile(r"runs?|results?|retrieved|ranked|rankings?|pred(iction)?s?|predicted|y_pred|scores?")
_QRELS = re.compile(r"qrels?|judge?ments?|relevan(t|ce)|gold|(ground_)?truth|labels?|targets?|y_true")
_CALLED = "accept dicts {query: {docno: number}}, or use crosscheck audit for a function of lists or frames"


class PythonCallable(Backend, Struct, frozen=True, dict=True):
    """A user's function that takes (qrels, run) and returns {query: value}.

    A parameter named ``k`` or ``cutoff`` receives the measure's cutoff (None if the measure has none), and a
    parameter named ``measure`` receives the measure's name. The function is called once per measure, each
    time with new dicts. A function without a parameter for the measure's name supports the measure that its
    own name means (``ndcg``). If its name means no measure, only one measure can be requested.

    Attributes:
        target: module name or path of a Python file, which :meth:`evaluate` loads.
        function: name in the module or file, with dots for attributes.
    """

    target: str
    function: str
    greets = True  # the parameters of the function are known only after its import

    @property
    def id(self) -> str:
        return f"python:{self.target}:{self.function}"

    def describe(self) -> Description:
        """The description, which says whether the file or module exists. No code of the user is run."""
        if _is_file(self.target):
            exists, what = os.path.isfile(self.target), f"file {quoted(self.target)}"
        else:
            exists = _module_exists(self.target.partition(".")[0])
            what = f"module {quoted(self.target)} on sys.path or in the working directory"
        return self.description(None if exists else f"there is no {what}")

    def prepare(self) -> None:
        assert self.held

    def supports(self, measure: Measure) -> bool:
        families, cutoff = said_by(self.function)
        if not families or any(map(measure_parameter, self._parameters)):
            return True
        any_cutoff = cutoff is None or not _CUTOFFS.isdisjoint(self._parameters)
        return measure.family in families and (any_cutoff or cutoff == measure.cutoff)

    def lacks(self, measure: Measure) -> str | None:
        families, cutoff = said_by(self.function)
        said = " or ".join(f"{family}@{cutoff}" if cutoff else family for family in families)
        return f"its name says {said}, and it takes no name of a measure" if said else None

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values from one call of the function per measure.

        For a measure over subtopics or groups of judges the qrels are ``{query: {subtopic: {docno:
        level}}}``, for a measure of preferences ``{query: {group: {subgroup: {docno: level}}}}``.

        Raises:
            BackendError: the function cannot be found, did not return {query: number}, or has no parameter
                that says which of several measures is requested.
        """
        passed = [self._passed(measure) for measure in measures]
        told = all(any(map(measure_parameter, keywords)) for keywords in passed)
        alike = len({m.family for m in measures}) > 1 or any(passed.count(one) > 1 for one in passed)
        if alike and not told:
            hint = "request one measure only, or give the function a parameter named measure"
            asked = f"{len(measures)} measures are requested from {self.function}"
            raise FinalError(f"{asked}, which takes no name of a measure", hint=hint)
        texts = as_texts(qrels, run)
        needed = {measure: needs_of([measure]) for measure in measures}
        nested: dict[Needs, Mapping[str, Any]] = {"levels": texts.qrels}
        nested |= {one: nested_qrels(qrels, run, one) for one in {*needed.values()} if one != "levels"}
        answers: dict[Measure, MeasureValues] = {}
        for measure, keywords in zip(measures, passed, strict=True):
            returned = self._returned(nested[needed[measure]], texts.run, keywords)
            answers[measure] = MeasureValues(self._values(returned, texts.topics, keywords), None, self.id)
        return answers

    def _returned(
        self, qrels: Mapping[str, object], run: Mapping[str, object], keywords: Mapping[str, Any]
    ) -> Any:
        names = [*self._names, "", ""][:2]
        swapped = _RUN.fullmatch(names[0].lower()) and _QRELS.fullmatch(names[1].lower())
        given = (run, qrels) if swapped else (qrels, run)
        try:
            return self.held[1](*copy.deepcopy(given), **keywords)
        except (TypeError, AttributeError) as error:
            said = as_backend_error(error)
            said.hint = _CALLED
            raise said from error

    @cached_property
    def _passed(self) -> Callable[[Measure], dict[str, Any]]:
        """The keyword arguments for a measure, which are found once."""
        return cache(self._keywords_for)

    def _values(
        self, result: object, topics: Mapping[str, bytes], keywords: Mapping[str, object]
    ) -> dict[bytes, float]:
        def wrong(what: str, hint: str | None = None) -> BackendError:
            return BackendError(f"{self.function} returned {what}", hint=hint)

        if not isinstance(result, Mapping):
            hint = "return the value of each query, or use crosscheck audit, which compares means as well"
            raise wrong(f"{kind(result)} instead of a dict {{query: value}}", hint)
        passed = {name for names in keywords.values() if isinstance(names, list) for name in names}
        values: dict[bytes, float] = {}
        for query, value in result.items():
            if not isinstance(query, str):
                hint = "return query ids as str, as in the dicts that the function received"
                raise wrong(f"{kind(query)} as a query: {printable(repr(query), 80)}", hint)
            if query not in topics:
                raise wrong(f"a value for {quoted(query)}, a query of neither run nor qrels")
            if isinstance(value, Mapping) and value.keys() == passed:
                (value,) = value.values()
            if (number := as_float(value)) is None:
                refused = f"{kind(value)} for query {quoted(query)}, {refusal(value)}"
                raise wrong(refused, "leave out queries without a value")
            values[topics[query]] = number
        return values

    def _keywords_for(self, measure: Measure) -> dict[str, Any]:
        """The keyword arguments for a measure: its cutoff and its name, for the parameters that take them."""
        cutoff: dict[str, Any] = {n: measure.cutoff for n in _CUTOFFS if n in self._parameters}
        parameter = next((p for p in self._parameters.values() if measure_parameter(p.name)), None)
        if parameter is None:
            return cutoff
        several = measure_parameter(parameter.name) == "several"

        def passing(template: str) -> dict[str, Any]:
            name = spelt(template, measure)
            return cutoff | {parameter.name: [name] if several else name}

        templates, works = accepted(measure, lambda name: self._on_two_queries(measure, passing(name)))
        if works or parameter.default in (parameter.empty, None) or is_measure(str(parameter.default)):
            return passing(templates[0] if templates else "")
        return cutoff  # such as metric="cosine", which does not take a measure

    def _on_two_queries(self, measure: Measure, keywords: dict[str, Any]) -> str | None:
        """The function's values on a small input, as text; None if the call fails."""
        qrels: dict[str, Any] = _LEVELS
        for _ in range(("levels", "subtopics", "preferences").index(needs_of([measure]))):
            qrels = {query: {"1": docs} for query, docs in qrels.items()}
        run = {query: {docno: 1 / n for n, docno in enumerate(docs, 1)} for query, docs in _LEVELS.items()}
        with suppress(Exception, SystemExit):
            result = self._returned(qrels, run, keywords)
            return repr(self._values(result, {query: query.encode() for query in _LEVELS}, keywords))
        return None

    @cached_property
    def held(self) -> tuple[Any, Any]:
        """The class or module that contains the function, and the function itself; imported when needed.

        Raises:
            BackendError: the file or function does not exist.
        """
        owner: Any = None
        value: Any = _load(self.target)
        for name in self.function.split("."):
            if not hasattr(value, name):
                near = did_you_mean(name, dir(value), "; ")
                raise BackendError(f"{quoted(self.target)} has no {quoted(self.function)}{near}")
            owner, value = value, getattr(value, name)
        if not callable(value):
            raise BackendError(f"{quoted(self.function)} of {quoted(self.target)} is not a function")
        return owner, value

    @cached_property
    def _parameters(self) -> dict[str, inspect.Parameter]:
        """The parameters that can be passed by keyword, except those for qrels and run."""
        either, only = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        names = enumerate(self._names.items())
        return {name: p for i, (name, p) in names if p.kind == only or (p.kind == either and i > 1)}

    @cached_property
    def _names(self) -> Mapping[str, inspect.Parameter]:
        with suppress(TypeError, ValueError):  # written in C without a signature
            return inspect.signature(self.held[1]).parameters
        return {}


def _is_file(target: str) -> bool:
    return target.endswith(".py") or os.sep in target


def _module_exists(name: str) -> bool:
    if any(Path(name + suffix).exists() for suffix in ("", ".py")):
        return True
    with suppress(ImportError, ValueError):
        return importlib.util.find_spec(name) is not None
    return False


def _load(target: str) -> Any:
    """The module that is called ``target``, or is in this file."""
    if not _is_file(target):
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        return importlib.import_module(target)
    path = Path(target)
    spec = importlib.util.spec_from_file_location(f"crosscheck_user_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise BackendError(f"there is no Python file {quoted(target)}")
    # As when Python runs a file, modules in its folder can be imported.
    sys.path.insert(0, str(path.absolute().parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _make(argument: str | None, options: Options) -> Backend:
    target, colon, function = (argument or "").rpartition(":")  # a path may hold colons itself
    if not colon or not target or not function:
        hint = "write python:package.module:function or python:path/to/file.py:function"
        raise UsageError("backend python needs a module or file, and a function", hint=hint)
    return PythonCallable(target, function)


FACTORY = BackendFactory(
    usage="python:MODULE_OR_FILE:FUNCTION",
    summary="your own function: takes (qrels, run) as dicts like pytrec_eval, returns {query: value}",
    make=_make,
)
