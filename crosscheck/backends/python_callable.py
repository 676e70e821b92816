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
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crosscheck.backends.base import Backend, BackendFactory, Description, Options
from crosscheck.backends.outcomes import as_float, kind, printable, refusal
from crosscheck.backends.texts import Texts, as_texts, nested_qrels
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, UsageError, did_you_mean, quoted
from crosscheck.measures import needs_of
from crosscheck.model import Measure, MeasureValues, Qrels, Run

__all__ = ["FACTORY", "PythonCallable"]


@dataclass(frozen=True)
class PythonCallable:
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
    isolated: bool = True
    conventions: Conventions | None = None

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
        return Description(
            id=self.id, version="", engine=self.id, available=known, reason=None if known else reason
        )

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
        offered = {"k": measure.cutoff, "cutoff": measure.cutoff, "measure": str(measure)}
        keywords = {name: value for name, value in offered.items() if name in self._parameters}
        result = self._callable(copy.deepcopy(qrels), copy.deepcopy(texts.run), **keywords)
        if not isinstance(result, Mapping):
            raise BackendError(f"{self.function} returned {kind(result)} instead of a dict {{query: value}}")
        values: dict[bytes, float] = {}
        for query, value in result.items():
            if not isinstance(query, str):
                raise BackendError(
                    f"{self.function} named a query by {kind(query)}: {printable(repr(query), 80)}",
                    hint="queries are text, as in the dicts that it was given",
                )
            if query not in texts.topics:
                raise BackendError(
                    f"{self.function} returned a value for {quoted(query)}, a query of neither run nor qrels"
                )
            number = as_float(value)
            if number is None:
                raise BackendError(
                    f"{self.function} returned {kind(value)} for query {quoted(query)}, {refusal(value)}",
                    hint="a query that has no value must be left out",
                )
            values[texts.topics[query]] = number
        return values

    def load(self) -> Any:
        """The function itself, imported.

        Raises:
            BackendError: the file or function does not exist.
        """
        return self._callable

    @property
    def owner(self) -> Any:
        """The class or module that holds the function, imported."""
        return self._held[0]

    @property
    def _callable(self) -> Any:
        return self._held[1]

    @cached_property
    def _held(self) -> tuple[Any, Any]:
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
    def _parameters(self) -> frozenset[str]:
        """Names that can be passed by keyword, except those of qrels and run."""
        try:
            parameters = list(inspect.signature(self._callable).parameters.values())
        except (TypeError, ValueError):  # written in C without a signature
            return frozenset()
        by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return frozenset(
            p.name
            for i, p in enumerate(parameters)
            if p.kind in by_keyword and (i > 1 or p.kind == inspect.Parameter.KEYWORD_ONLY)
        )


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
