"""A user's own metric: ``python:MODULE:FUNCTION`` or ``python:FILE.py:FUNCTION``.

The function is called as ``function(qrels, run)`` with dicts of dicts, as for pytrec_eval, and returns
{query: value}.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from crosscheck.backends.base import Backend, BackendFactory, Description, Options
from crosscheck.backends.outcomes import as_float, kind, printable, refusal
from crosscheck.backends.texts import Texts, as_texts, nested_qrels
from crosscheck.errors import BackendError, UnknownMeasure, UsageError, did_you_mean, quoted
from crosscheck.measures import needs_of
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import accepted, measure_parameter, parse_measure, spelt

#: Levels of retrieved documents in rank order, on which spellings of a measure's name are tried.
_LEVELS = {
    "1": {"a": 2, "b": 0, "c": 1, "d": 0, "e": 1, "f": 3},
    "2": {"a": 0, "b": 1, "c": 0, "d": 2, "e": 0},
}


class PythonCallable(Backend, Struct, frozen=True, dict=True):
    """A function that takes (qrels, run) and returns {query: value}.

    A parameter named ``k`` or ``cutoff`` receives the measure's cutoff (None if the measure has none), one
    named ``measure`` the measure's name. The function is called for every compared measure, with new dicts
    each time.

    Attributes:
        target: module name or path of a Python file, loaded by :meth:`evaluate` only.
        function: name in the module or file, with dots for attributes.
    """

    target: str
    function: str

    @property
    def id(self) -> str:
        return f"python:{self.target}:{self.function}"

    def describe(self) -> Description:
        """Whether the file or module exists; its code is not run."""
        if _is_file(self.target):
            known = os.path.isfile(self.target)
            reason = f"there is no file {quoted(self.target)}"
        else:
            known = _module_exists(self.target.partition(".")[0])
            reason = f"there is no module {quoted(self.target)} on sys.path or in the working directory"
        return self.description(None if known else reason)

    def prepare(self) -> None:
        assert self.held

    def supports(self, measure: Measure) -> bool:
        return True

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values from one call of the function per measure.

        For a measure over subtopics or groups of judges the qrels are ``{query: {subtopic: {docno:
        level}}}``, for a measure of preferences ``{query: {group: {subgroup: {docno: level}}}}``.

        Raises:
            BackendError: the function cannot be found, or did not return {query: number}.
        """
        texts = as_texts(qrels, run)
        kinds = {needs_of([measure]) for measure in measures}
        nested = {needs: nested_qrels(qrels, run, needs) for needs in kinds}
        return {
            measure: MeasureValues(
                self._call(measure, nested[needs_of([measure])], texts),
                mean=None,
                engine=self.id,
            )
            for measure in measures
        }

    def _call(self, measure: Measure, qrels: Mapping[str, object], texts: Texts) -> dict[bytes, float]:
        if measure not in self._keywords:
            self._keywords[measure] = self._found_keywords(measure)
        keywords = self._keywords[measure]
        result = self.held[1](copy.deepcopy(qrels), copy.deepcopy(texts.run), **keywords)
        return self._values(result, texts.topics, keywords)

    def _values(
        self, result: object, topics: Mapping[str, bytes], keywords: Mapping[str, object]
    ) -> dict[bytes, float]:
        if not isinstance(result, Mapping):
            raise BackendError(f"{self.function} returned {kind(result)} instead of a dict {{query: value}}")
        passed = [name for names in keywords.values() if isinstance(names, list) for name in names]
        values: dict[bytes, float] = {}
        for query, value in result.items():
            if not isinstance(query, str):
                raise BackendError(
                    f"{self.function} named a query by {kind(query)}: {printable(repr(query), 80)}",
                    hint="queries are text, as in the dicts that it was given",
                )
            if query not in topics:
                raise BackendError(
                    f"{self.function} returned a value for {quoted(query)}, a query of neither run nor qrels"
                )
            if isinstance(value, Mapping) and value.keys() == {*passed}:
                (value,) = value.values()
            number = as_float(value)
            if number is None:
                raise BackendError(
                    f"{self.function} returned {kind(value)} for query {quoted(query)}, {refusal(value)}",
                    hint="a query that has no value must be left out",
                )
            values[topics[query]] = number
        return values

    def _found_keywords(self, measure: Measure) -> dict[str, Any]:
        """The cutoff and the name of the measure, for the parameters that take them."""
        cutoff: dict[str, Any] = {n: measure.cutoff for n in ("k", "cutoff") if n in self._parameters}
        parameter = next((p for p in self._parameters.values() if measure_parameter(p.name)), None)
        if parameter is None:
            return cutoff
        several = measure_parameter(parameter.name) == "several"

        def passing(template: str) -> dict[str, Any]:
            name = spelt(template, measure)
            return cutoff | {parameter.name: [name] if several else name}

        templates, known = accepted(
            measure, lambda template: self._on_two_queries(measure, passing(template))
        )
        if known or parameter.default in (parameter.empty, None) or _is_measure(parameter.default):
            return passing(templates[0] if templates else "")
        return cutoff  # metric="cosine" is no measure

    def _on_two_queries(self, measure: Measure, keywords: dict[str, Any]) -> str | None:
        """The values on a small input as text, None if the function fails."""
        depth = {"levels": 0, "subtopics": 1, "preferences": 2}[needs_of([measure])]
        qrels: dict[str, Any] = {query: dict(docs) for query, docs in _LEVELS.items()}
        for _ in range(depth):
            qrels = {query: {"1": docs} for query, docs in qrels.items()}
        run = {query: {docno: 1 / n for n, docno in enumerate(docs, 1)} for query, docs in _LEVELS.items()}
        try:
            result = self.held[1](qrels, run, **keywords)
            return repr(self._values(result, {query: query.encode() for query in _LEVELS}, keywords))
        except (Exception, SystemExit):
            return None

    @cached_property
    def held(self) -> tuple[Any, Any]:
        """The class or module that holds the function, and the function, imported.

        Raises:
            BackendError: the file or function does not exist.
        """
        owner: Any = None
        found: Any = _load_file(self.target) if _is_file(self.target) else _load_module(self.target)
        for name in self.function.split("."):
            if not hasattr(found, name):
                near = did_you_mean(name, dir(found), "; ")
                raise BackendError(f"{quoted(self.target)} has no {quoted(self.function)}{near}")
            owner, found = found, getattr(found, name)
        if not callable(found):
            raise BackendError(f"{quoted(self.function)} of {quoted(self.target)} is not a function")
        return owner, found

    @cached_property
    def _keywords(self) -> dict[Measure, dict[str, Any]]:
        return {}

    @cached_property
    def _parameters(self) -> dict[str, inspect.Parameter]:
        """Parameters that can be passed by keyword, except those of qrels and run."""
        try:
            parameters = list(inspect.signature(self.held[1]).parameters.values())
        except (TypeError, ValueError):  # written in C without a signature
            return {}
        by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return {
            p.name: p
            for i, p in enumerate(parameters)
            if p.kind in by_keyword and (i > 1 or p.kind == inspect.Parameter.KEYWORD_ONLY)
        }


def _is_measure(default: object) -> bool:
    try:
        return bool(parse_measure(str(default)))
    except UnknownMeasure:
        return False


def _is_file(target: str) -> bool:
    return target.endswith(".py") or os.sep in target


def _module_exists(name: str) -> bool:
    if any(Path(name + suffix).exists() for suffix in ("", ".py")):
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _load_file(path: str) -> Any:
    name = Path(path).stem
    spec = importlib.util.spec_from_file_location(f"crosscheck_user_{name}", path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise BackendError(f"there is no Python file {quoted(path)}")
    # As when Python runs a file: modules beside it can be imported.
    sys.path.insert(0, str(Path(path).absolute().parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _load_module(name: str) -> Any:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return importlib.import_module(name)


def _make(argument: str | None, options: Options) -> Backend:
    target, colon, function = (argument or "").rpartition(":")  # a path may hold colons itself
    if not colon or not target or not function:
        raise UsageError(
            "backend python needs a module or file, and a function",
            hint="write python:package.module:function or python:path/to/file.py:function",
        )
    return PythonCallable(target, function)


FACTORY = BackendFactory(
    name="python",
    make=_make,
    usage="python:MODULE_OR_FILE:FUNCTION",
    summary="your own function: takes (qrels, run) as dicts like pytrec_eval, returns {query: value}",
)
