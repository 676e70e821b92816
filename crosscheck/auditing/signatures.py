"""The calls that a signature allows, from the words that its parameters may mean together."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import Any, NamedTuple, TypeAlias

from crosscheck.auditing.calls import (
    COLUMNS,
    FRAMES,
    ROWS,
    Argument,
    Call,
    Collection,
    Constant,
    Converted,
    Step,
    Word,
)
from crosscheck.auditing.parameter_names import Container, Parameter, parameters_of

__all__ = ["Candidate", "candidates"]


class Candidate(NamedTuple):
    """A possible call and its cost: 0 if the parameter names say the call, more if it must be guessed."""

    cost: int
    call: Call


_CUTOFFS = frozenset({"k", "ks"})
_MEASURES = frozenset({"measure", "measures", "measure_set"})
#: Arguments for words that only signatures use: ``ks`` is a list of cutoffs, and a column is named.
_MADE: dict[str, Argument] = {
    "ks": Collection("list", (Word("k"),)),
    "measures": Collection("list", (Word("measure"),)),
    "measure_set": Collection("set", (Word("measure"),)),
}
_MADE |= {repr(column): Constant(column) for columns in COLUMNS.values() for column in columns}
#: Words that are one value, whatever the ranking, or the name of a column.
_NUMBERS = frozenset({"num_rel", "num_ret", "max_grade", "query", *_MADE}) | _CUTOFFS | _MEASURES
#: Words that are passed together for one query, likeliest first.
_ONE_QUERY: tuple[tuple[str, ...], ...] = (
    ("ranked_ids", "relevant_ids"),
    ("ranked_ids", "relevance"),
    ("gains",),
    ("binary",),
    ("gains", "judged_gains"),
    ("ranks",),
    ("y_true", "y_score"),
    ("binary", "y_score"),
    ("y_true", "scores"),
    ("scored", "relevance"),
    ("scored", "relevant_ids"),
    ("ranked_ids", "scores", "relevance"),
    ("ranked_ids", "scores", "relevant_ids"),
    ("ranked_ids", "relevant_ids", "relevance"),
    ("judged_df", "ranked_df"),
    ("ranked_rows", "relevant_ids"),
    ("ranked_rows", "relevance"),
    ("judged_rows", "ranked_rows"),
    ("labelled_rows",),
)
#: Words that are passed together for all queries at once.
_ALL_QUERIES = (
    ("qrels", "run"),
    ("qrels_df", "results_df"),
    ("qrels_rows", "results_rows"),
    ("labelled_df",),
)
#: Words for docnos, and words for dicts, of one query.
_IDS = frozenset({"ranked_ids", "relevant_ids"})
_DICTS = frozenset({"relevance", "scored"})
#: Maximum number of parameters that are filled with words other than numbers; also of optional parameters
#: that are passed if the required ones give no call.
_MOST_PARAMETERS = 4
#: Methods of a class that compute, likeliest first.
_METHODS = ("__call__", "compute", "score", "evaluate", "calculate", "measure", "run", "forward", "eval")


_Scope: TypeAlias = Callable[[str, Parameter], Iterable[Argument]]


class _Place(NamedTuple):
    step: int
    parameter: Parameter


def candidates(function: Callable[..., Any], method: str | None, *, has_cutoff: bool) -> list[Candidate]:
    """Calls that the signature of a function or class suggests, likeliest first.

    Args:
        method: the method of the class to call, None to take the one that computes.
    """
    found: dict[Call, int] = {}
    for names, places in _ways(function, method):
        for candidate in _of_places(names, places, has_cutoff=has_cutoff):
            found[candidate.call] = min(candidate.cost, found.get(candidate.call, candidate.cost))
    return sorted((Candidate(cost, call) for call, cost in found.items()), key=lambda c: c.cost)


def _ways(function: Any, method: str | None) -> Iterator[tuple[tuple[str | None, ...], list[_Place]]]:
    """Each way to call a function or class: the method of each step, and the parameters of all steps."""
    if not inspect.isclass(function):
        parameters = parameters_of(function)
        if parameters is not None:
            yield (None,), [_Place(0, parameter) for parameter in parameters]
        return
    about = inspect.getdoc(function) or ""
    made = [] if function.__init__ is object.__init__ else parameters_of(function.__init__, about)
    start = [_Place(0, parameter) for parameter in made or []]
    own: dict[str, Any] = {name: getattr(function, name) for name in _methods(function)}
    if method is None and own.keys() >= {"update", "compute"}:
        updated = parameters_of(own["update"]) or []
        if not any(p.required for p in parameters_of(own["compute"]) or []):
            yield (None, "update", "compute"), [*start, *(_Place(1, p) for p in updated)]
            return
    chosen = [method] if method is not None else [name for name in _METHODS if name in own] or sorted(own)
    for name in chosen:
        taken = parameters_of(getattr(function, name))
        if taken:
            yield (None, name), [*start, *(_Place(1, p) for p in taken)]


def _methods(function: type) -> list[str]:
    return [
        name
        for name, held in inspect.getmembers(function, callable)
        if (name == "__call__" and held is not type(function).__call__ and "__call__" in dir(function))
        or not name.startswith("_")
    ]


def _of_places(
    names: tuple[str | None, ...], places: Sequence[_Place], *, has_cutoff: bool
) -> Iterator[Candidate]:
    required = [place for place in places if place.parameter.required]
    optional = [place for place in places if not place.parameter.required]
    cutoff = [p for p in optional if has_cutoff and _CUTOFFS & p.parameter.costs.keys()][:1]
    if any(_CUTOFFS & p.parameter.costs.keys() for p in required):
        cutoff = []
    named = [p for p in optional if _MEASURES & p.parameter.costs.keys()][:1]
    speaking = [
        p
        for p in optional
        if p.parameter.known and p not in cutoff and not _NUMBERS & p.parameter.costs.keys()
    ]
    for cost, fixed in enumerate([[*required, *cutoff, *named], [*required, *cutoff]][: 1 + bool(named)]):
        found = False
        for candidate in _filled(names, fixed):
            found = True
            yield Candidate(candidate.cost + cost, candidate.call)
        if not found and speaking:
            for more in (speaking[:n] for n in range(1, min(len(speaking), _MOST_PARAMETERS) + 1)):
                for candidate in _filled(names, [p for p in places if p in fixed or p in more]):
                    yield Candidate(candidate.cost + cost + 1, candidate.call)


def _filled(names: tuple[str | None, ...], places: Sequence[_Place]) -> Iterator[Candidate]:
    """The calls that fill these parameters with words that are passed together."""
    numbers = [
        (i, [word for word in place.parameter.costs if word in _NUMBERS]) for i, place in enumerate(places)
    ]
    fixed = {i: words for i, words in numbers if words}
    rest = [i for i in range(len(places)) if i not in fixed]
    if not 1 <= len(rest) <= _MOST_PARAMETERS:
        return
    for words in product(*fixed.values()):
        given: dict[int, tuple[int, Argument]] = {
            i: (places[i].parameter.costs[word], _MADE.get(word, Word(word)))
            for i, word in zip(fixed, words, strict=True)
        }
        counted = any(word in ("num_rel", "num_ret") for word in words)
        scopes: Sequence[_Scope] = _SCOPES
        if counted:
            scopes = _SCOPES[:3]
        elif "query" in words:
            scopes = (_alone_or_by_query, *_SCOPES[1:])
        for cost, filled in _shaped([places[i].parameter for i in rest], scopes):
            whole = given | {i: (0, argument) for i, argument in zip(rest, filled, strict=True)}
            total = cost + sum(c for c, _ in given.values())
            yield Candidate(total, _call(names, places, [whole[i][1] for i in range(len(places))]))


def _shaped(
    parameters: Sequence[Parameter], scopes: Sequence[_Scope]
) -> Iterator[tuple[int, tuple[Argument, ...]]]:
    """Arguments for these parameters, with their cost."""
    for shape in (*_ONE_QUERY, *_ALL_QUERIES):
        if len(shape) != len(parameters):
            continue
        for order in dict.fromkeys(permutations(shape)):
            costs = [p.cost(word) for p, word in zip(parameters, order, strict=True)]
            if any(cost is None for cost in costs):
                continue
            total = sum(cost for cost in costs if cost is not None)
            for scope in scopes:
                made = [scope(word, p) for word, p in zip(order, parameters, strict=True)]
                whole = total + (scope in _SELDOM)
                yield from ((whole, filled) for filled in product(*made) if not _mixed(filled, parameters))


def _mixed(filled: Sequence[Argument], parameters: Sequence[Parameter]) -> bool:
    """Whether arrays and lists are passed together although no parameter says so, or a row alone."""
    free = [a for a, p in zip(filled, parameters, strict=True) if p.container is None]
    arrays = sum(isinstance(a, Converted) and a.kind == "array" for a in free)
    rows = any(
        isinstance(a, Collection) or (isinstance(a, Converted) and isinstance(a.of, Collection)) for a in free
    )
    return 0 < arrays < len(free) or (rows and len(filled) == 1)


def _alone(word: str, parameter: Parameter) -> Iterable[Argument]:
    """A word of one query, in the container that the parameter expects."""
    if word in ("qrels", "run"):
        return [Word(word)] if parameter.container in (None, "dict", "dicts") else []
    if word in FRAMES:
        return [Word(word)] if parameter.container in (None, "frame") else []
    if word in ROWS:
        return _records(Word(word), parameter)
    return _contained(word, parameter.container, parameter.holds)


def _records(word: Word, parameter: Parameter) -> list[Argument]:
    """Rows as named tuples, as dicts, or both where nothing says which."""
    if parameter.container == "rows":
        return [Converted("dicts", word)]
    if parameter.container == "pairs":
        return [word]
    free = parameter.container is None or (parameter.container == "list" and not parameter.holds)
    return [word, Converted("dicts", word)] if free else []


def _contained(word: str, container: Container | None, holds: str) -> list[Argument]:
    plain = Word(word)
    if word in _DICTS:
        if container == "pairs":
            return [Converted("items", plain)]
        return [plain] if container in (None, "dict") else []
    if (word in _IDS and holds in ("float", "bool")) or (word not in _IDS and holds == "str"):
        return []
    if word in ("scores", "y_score") and holds == "int":
        return []
    match container:
        case None if word == "relevant_ids":
            return [plain, Converted("set", plain)]
        case None if word in _IDS:
            return [plain]
        case None:
            return [plain, Converted("array", plain)]
        case "list":
            return [plain]
        case "set":
            return [Converted("set", plain)] if word in _IDS else []
        case "array":
            return [Converted("array", plain)]
        case "tensor":
            return [] if word in _IDS else [Converted("tensor", plain)]
        case "series":
            return [Converted("series", plain)]
    return []


def _in_rows(word: str, parameter: Parameter) -> Iterable[Argument]:
    """A word in a list of one row, for functions that take several rows of values at once."""
    if word not in ("y_true", "y_score", "binary", "gains") or parameter.container not in (
        None,
        "array",
        "tensor",
        "lists",
    ):
        return []
    row = Collection("list", (Word(word),))
    if parameter.container in ("array", "tensor"):
        return [Converted(parameter.container, row)]
    return [row] if parameter.container == "lists" else [row, Converted("array", row)]


def _each(word: str, parameter: Parameter) -> list[Converted]:
    """A list with an entry for each query."""
    if word in ("qrels", "run", *COLUMNS) or parameter.container not in (None, "list", "lists"):
        return []
    if parameter.container == "list" and parameter.holds:
        return []
    return [Converted("each", inner) for inner in _contained(word, None, parameter.holds) if _plain(inner)]


def _in_series(word: str, parameter: Parameter) -> Iterable[Argument]:
    """A word as a column of a data frame, beside which relevant documents may be in a list or a dict."""
    if word in ("qrels", "run", *COLUMNS) or parameter.container is not None:
        return []
    plain = Word(word)
    columns = [] if word in _DICTS else [Converted("series", plain)]
    return [plain, *columns] if word in ("relevant_ids", "relevance") else columns


def _each_of_arrays(word: str, parameter: Parameter) -> Iterable[Argument]:
    """A list with an array for each query."""
    listed = [] if word in _IDS | _DICTS else _each(word, parameter)
    return [replace(argument, of=Converted("array", argument.of)) for argument in listed]


def _plain(argument: Argument) -> bool:
    return not (isinstance(argument, Converted) and argument.kind == "array")


def _by_query(word: str, parameter: Parameter) -> Iterable[Argument]:
    """The dicts by query that a parameter may expect for a word."""
    if word not in ("ranked_ids", "relevant_ids", "relevance", "scored", "gains", "binary"):
        return []
    nested = word in _DICTS
    pairs = Converted("by_query", Converted("items", Word(word)))
    if nested and parameter.container == "pairs by query":
        return [pairs]
    if parameter.container not in (None, "dict", "dicts" if nested else "lists by query"):
        return []
    if nested:
        table = Word("qrels" if word == "relevance" else "run")
        return [table, pairs] if word == "scored" and parameter.container is None else [table]
    return [
        Converted("by_query", inner) for inner in _contained(word, None, parameter.holds) if _plain(inner)
    ]


def _alone_or_by_query(word: str, parameter: Parameter) -> Iterable[Argument]:
    """A word of one query, or of all queries, for a function that also takes the id of the query."""
    return [*_alone(word, parameter), *_by_query(word, parameter)]


_SCOPES = (_alone, _in_rows, _in_series, _each, _by_query, _each_of_arrays)
#: Scopes of calls that are tried after all others, because few functions want them.
_SELDOM = (_in_series, _each_of_arrays)


def _call(names: tuple[str | None, ...], places: Sequence[_Place], filled: Sequence[Argument]) -> Call:
    steps: list[Step] = []
    for number, name in enumerate(names):
        positional: list[Argument] = []
        keywords: list[tuple[str, Argument]] = []
        for (step, parameter), argument in zip(places, filled, strict=True):
            if step == number and parameter.required and not parameter.keyword and not keywords:
                positional.append(argument)
            elif step == number:
                keywords.append((parameter.name, argument))
        steps.append(Step(tuple(positional), tuple(keywords), name))
    return Call(tuple(steps))
