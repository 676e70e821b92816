"""Calls of a metric: parsed from text and never evaluated.

"f(gains, k)"   "f(ranked_ids, set(relevant_ids), k)"   "f([y_true], [y_score], k=k)"   "f(qrels, run)"
"f(each(relevant_ids), each(ranked_ids), k)"   "f(k).compute(array(gains))"   "f(binary, k)['precision']"
"f(qrels, run, measure)"   "f(gains, measure('ndcg_cut_{k}'))"
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from crosscheck.axes import axes
from crosscheck.axes.averaging import AVERAGING
from crosscheck.axes.base import Handed
from crosscheck.errors import UsageError, did_you_mean

__all__ = [
    "COLUMNS",
    "CONVERSIONS",
    "FRAMES",
    "LABELLED",
    "OVER_QUERIES",
    "ROWS",
    "WORDS",
    "Argument",
    "Call",
    "Collection",
    "Constant",
    "Converted",
    "Pick",
    "Step",
    "Word",
    "parse_call",
    "words_of",
]

#: Every word that a call may use, with its value.
WORDS = {
    "gains": "relevance levels of the retrieved documents, in rank order; 0 where unjudged",
    "binary": "1 for each retrieved document that is relevant, else 0, in rank order",
    "judged_gains": "relevance levels of all judged documents, highest first",
    "ranked_ids": "docnos of the retrieved documents, in rank order",
    "relevant_ids": "docnos of the relevant documents",
    "relevance": "{docno: relevance level} of the judged documents",
    "scored": "{docno: score} of the retrieved documents, in input order",
    "scores": "scores of the retrieved documents, in input order, as are then all other lists",
    "ranks": "ranks of the relevant documents that were retrieved, from 1",
    "num_rel": "number of relevant documents",
    "num_ret": "number of retrieved documents",
    "k": "the measure's cutoff",
    "measure": "the name of the measure, such as nDCG@5; or spelt as in measure('ndcg_cut_{k}')",
    "query": "the id of the query; then the call is made for each query, with whatever else it passes",
    "qrels": "{query: {docno: relevance level}}",
    "run": "{query: {docno: score}}, in input order",
    "y_true": "relevance levels of the retrieved documents, in input order; 0 where unjudged",
    "y_score": "scores of the same documents",
    "results_df": "data frame of the run: query, docid, rank, score",
    "qrels_df": "data frame of the qrels: query, docid, rel",
    "ranked_df": "data frame of the results of the query: docid, rank, score",
    "judged_df": "data frame of the judgements of the query: docid, rel",
    "results_rows": "list of the results, as named tuples: query, docid, score",
    "qrels_rows": "list of the judgements, as named tuples: query, docid, rel",
    "ranked_rows": "list of the results of the query, as named tuples, in rank order: docid, score",
    "judged_rows": "list of the judgements of the query, as named tuples: docid, rel",
    "labelled_df": "data frame of the results of judged queries: query, docid, rank, score, rel (or 0)",
    "labelled_rows": "the same of one query, as named tuples, in rank order: docid, score, rel",
    "max_grade": "the highest relevance level of the whole qrels",
}
#: Every conversion that a call may write around a word, with its result.
CONVERSIONS = {
    "list": "a list",
    "tuple": "a tuple",
    "set": "a set",
    "array": "a numpy array",
    "tensor": "a torch tensor",
    "series": "a pandas series",
    "items": "a list of the (key, value) pairs of a dict; those of scored in rank order",
    "each": "a list with the value of each query that has judgements and results",
    "by_query": "{query: value}",
    "dicts": "a list of dicts, of named tuples",
}
#: Columns of the words that are tables.
COLUMNS = {
    "results_df": ("query", "docid", "rank", "score"),
    "qrels_df": ("query", "docid", "rel"),
    "ranked_df": ("docid", "rank", "score"),
    "judged_df": ("docid", "rel"),
    "results_rows": ("query", "docid", "score"),
    "qrels_rows": ("query", "docid", "rel"),
    "ranked_rows": ("docid", "score"),
    "judged_rows": ("docid", "rel"),
    "labelled_df": ("query", "docid", "rank", "score", "rel"),
    "labelled_rows": ("docid", "score", "rel"),
}
#: Tables of the results with their levels: neither ids nor queries can be matched in another way.
LABELLED = frozenset({"labelled_df", "labelled_rows"})
FRAMES = frozenset(word for word in COLUMNS if word.endswith("_df"))
ROWS = frozenset(COLUMNS) - FRAMES
_TABLES = frozenset({"qrels", "run", *(word for word, columns in COLUMNS.items() if "query" in columns)})
OVER_QUERIES = ("each", "by_query")
_OF_ANY_INPUT = frozenset({"k", "max_grade", "measure"})
_SCORES = frozenset({"scores", "y_score", "scored", "ranked_df", "ranked_rows", "labelled_rows"})
_SCORED = frozenset({"scored", "run"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a call.

    Attributes:
        spelling: the name of the measure, with ``{k}`` for the cutoff; empty for crosscheck's own name.
    """

    name: str
    spelling: str = ""


@dataclass(frozen=True, slots=True)
class Constant:
    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Collection:
    kind: Literal["list", "tuple", "set"]
    items: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Converted:
    """A conversion of an argument, such as ``set(relevant_ids)``, or a table with its columns renamed,
    ``results_df(docid='item')``."""

    kind: str
    of: Argument
    columns: tuple[tuple[str, str], ...] = ()


Argument: TypeAlias = "Word | Constant | Collection | Converted"
_COLLECTIONS: dict[type[ast.expr], Literal["list", "tuple", "set"]] = {
    ast.List: "list",
    ast.Tuple: "tuple",
    ast.Set: "set",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One pair of brackets of a call, with its positional arguments and its keyword arguments.

    Attributes:
        method: the method that is called, None for the function or class itself.
    """

    positional: tuple[Argument, ...] = ()
    keywords: tuple[tuple[str, Argument], ...] = ()
    method: str | None = None

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return (*self.positional, *(value for _, value in self.keywords))


@dataclass(frozen=True, slots=True)
class Pick:
    """One of several returned values: an item of the result, or an attribute."""

    key: str | int
    attribute: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function, or of a class and then of methods, and the value to take from the result.

    After a method that returns None, the next one is called on the same object:
    ``f(k).update(y_true, y_score).compute()``.
    """

    steps: tuple[Step, ...]
    picks: tuple[Pick, ...] = ()

    def __str__(self) -> str:
        return self.text(_text)

    def text(self, of: Callable[[Argument], str]) -> str:
        """The call as a Python expression; ``of`` gives the text of each argument."""
        said = "f"
        for step in self.steps:
            inside = [*map(of, step.positional), *(f"{name}={of(value)}" for name, value in step.keywords)]
            said += f"{'' if step.method in (None, '__call__') else f'.{step.method}'}({', '.join(inside)})"
        return said + "".join(f".{p.key}" if p.attribute else f"[{p.key!r}]" for p in self.picks)

    def picking(self, *picks: Pick) -> Call:
        """This call, with further picks applied to the value that it takes now."""
        return replace(self, picks=(*self.picks, *picks))

    @property
    def spellings(self) -> list[str]:
        """The spelling of the measure's name wherever the call passes it."""
        return [text for argument in self.arguments for text in _spellings(argument)]

    def spelling(self, template: str) -> Call:
        """This call, with the name of the measure spelt in this way."""
        return self.with_arguments(lambda argument: _spelt(argument, template))

    def with_arguments(self, of: Callable[[Argument], Argument]) -> Call:
        """This call with other arguments."""
        steps = tuple(
            Step(
                tuple(map(of, s.positional)), tuple((name, of(value)) for name, value in s.keywords), s.method
            )
            for s in self.steps
        )
        return replace(self, steps=steps)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return tuple(argument for step in self.steps for argument in step.arguments)

    @property
    def words(self) -> frozenset[str]:
        return frozenset(word for word, _ in self._places)

    @property
    def by_query(self) -> bool:
        """Whether the function is called once per query (and not once with all queries)."""
        return self.of_one or "query" in self.words

    @property
    def of_one(self) -> bool:
        """Whether the call passes the data of one query only."""
        return not self._of_all

    @property
    def in_rank_order(self) -> bool:
        """Whether lists of documents are passed in rank order (and not in the order of the run): True if no
        scores are passed, or only in lists of pairs or of results, which are rankings."""
        return all("items" in around or word in ROWS for word, around in self._places if word in _SCORES)

    @property
    def passes_scores(self) -> bool:
        """Whether scores are passed."""
        return bool(self.words & _SCORES)

    @property
    def named_queries(self) -> bool:
        """Whether the ids of queries are passed."""
        return any(word in _TABLES or "by_query" in around for word, around in self._places)

    @property
    def settled(self) -> frozenset[str]:
        """The axes fixed by the arguments, so that the metric has no choice."""
        handed = self._handed
        fixed = frozenset(axis.name for axis in axes().values() if axis.settled_by & handed)
        return fixed if self.by_query else fixed - {AVERAGING.name}

    @property
    def _places(self) -> list[tuple[str, frozenset[str]]]:
        """Each word, with the conversions around it."""
        return [place for argument in self.arguments for place in _places(argument, frozenset())]

    @property
    def _of_all(self) -> frozenset[str]:
        """The words that pass all queries."""
        return frozenset(
            word for word, around in self._places if word in _TABLES or not around.isdisjoint(OVER_QUERIES)
        )

    @property
    def _handed(self) -> Handed:
        found = Handed.ONE_QUERY if self.by_query or not self.named_queries else Handed.NOTHING
        if self.words & _SCORED:
            return found | Handed.DICT
        if not self.words.isdisjoint(COLUMNS):
            return found if self.words.isdisjoint(LABELLED) else Handed.ONE_QUERY | Handed.LEVELS
        if not self.passes_scores:
            found |= Handed.RANK_ORDER
        if "ranked_ids" not in self.words or not self.words & {"relevant_ids", "relevance", "qrels"}:
            found |= Handed.LEVELS
        return found


def words_of(argument: Argument) -> frozenset[str]:
    """The words in an argument."""
    return frozenset(word for word, _ in _places(argument, frozenset()))


def _places(argument: Argument, around: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    match argument:
        case Word(name):
            yield name, around
        case Collection(_, items):
            for item in items:
                yield from _places(item, around)
        case Converted(kind, of):
            yield from _places(of, around | {kind})


def _spellings(argument: Argument) -> Iterator[str]:
    match argument:
        case Word("measure", spelling):
            yield spelling
        case Collection(_, items):
            for item in items:
                yield from _spellings(item)
        case Converted(_, of):
            yield from _spellings(of)


def _spelt(argument: Argument, template: str) -> Argument:
    match argument:
        case Word("measure"):
            return Word("measure", template)
        case Collection(kind, items):
            return Collection(kind, tuple(_spelt(item, template) for item in items))
        case Converted(kind, of, columns):
            return Converted(kind, _spelt(of, template), columns)
    return argument


def _text(argument: Argument) -> str:
    match argument:
        case Word(name, spelling):
            return f"{name}({spelling!r})" if spelling else name
        case Constant(value):
            return repr(value)
        case Converted(kind, of, columns):
            inside = ", ".join(f"{name}={column!r}" for name, column in columns)
            return f"{kind}({inside or _text(of)})"
        case Collection(kind, items):
            inside = ", ".join(map(_text, items))
            if kind == "tuple" and len(items) == 1:
                inside += ","
            return {"list": "[%s]", "tuple": "(%s)", "set": "{%s}"}[kind] % inside


def parse_call(text: str) -> Call:
    """The call described by a text such as ``"f(gains, k=k)"``. Nothing in it is evaluated.

    Arguments are the words of :data:`WORDS`, constants, lists, tuples and sets of arguments, and conversions
    of :data:`CONVERSIONS`, as in ``set(relevant_ids)``. ``results_df(docid="item")`` is the table with
    another name for a column.

    Raises:
        UsageError: anything else, and a mixture of words for one query and words for all of them.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
        call = Call(*_steps_and_picks(node, text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _wrong(f"the call {text!r} is not a Python call") from None
    of_all = call._of_all
    if not call.by_query and (alone := call.words - of_all - _OF_ANY_INPUT):
        of_one = ", ".join(sorted(alone))
        raise _wrong(f"the call mixes all queries ({', '.join(sorted(of_all))}) with one query ({of_one})")
    if not call.words - {"k", "max_grade", "num_rel", "num_ret", "query", "measure"}:
        raise _wrong(f"the call {text!r} passes no ranking")
    return call


def _steps_and_picks(node: ast.expr, text: str) -> tuple[tuple[Step, ...], tuple[Pick, ...]]:
    picks: list[Pick] = []
    while not isinstance(node, ast.Call):
        match node:
            case ast.Subscript(value=inner, slice=ast.Constant(value=str() | int() as key)):
                picks.insert(0, Pick(key))
            case ast.Subscript(
                value=inner, slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as place))
            ):
                picks.insert(0, Pick(-place))
            case ast.Attribute(value=inner, attr=name):
                picks.insert(0, Pick(name, attribute=True))
            case _:
                raise _wrong(f"the call {text!r} is not a Python call")
        node = inner
    steps: list[Step] = []
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr=method)):
                steps.insert(0, _step(node, method))
                node = inner
            case ast.Call(func=ast.Call() as inner):
                steps.insert(0, _step(node, "__call__"))
                node = inner
            case ast.Call(func=ast.Name() | ast.Attribute() as function) if _dotted(function):
                return (_step(node, None), *steps), tuple(picks)
            case _:
                raise _wrong(f"the call {text!r} is not a Python call")


def _dotted(node: ast.expr) -> bool:
    """Whether a node is a name, perhaps with dots, such as ``package.module.function``."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _dotted(node.value))


def _step(node: ast.Call, method: str | None) -> Step:
    if any(keyword.arg is None for keyword in node.keywords):
        raise _wrong("a call cannot hold **")
    named = tuple((str(keyword.arg), _argument(keyword.value)) for keyword in node.keywords)
    return Step(tuple(map(_argument, node.args)), named, method)


def _argument(node: ast.expr) -> Argument:
    match node:
        case ast.Name(id=name):
            if name not in WORDS:
                raise _wrong(f"a call has no word {name!r}{did_you_mean(name, WORDS, '; ')}")
            return Word(name)
        case ast.Constant(value=value) if value is None or isinstance(value, str | int | float | bool):
            return Constant(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return Constant(-number)
        case ast.Call(func=ast.Name(id="measure"), args=[ast.Constant(value=str() as text)], keywords=[]):
            return Word("measure", text)
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return Collection(_COLLECTIONS[type(node)], tuple(map(_argument, items)))
        case ast.Call(func=ast.Name(id=kind), args=[inner], keywords=[]) if kind in CONVERSIONS:
            return Converted(kind, _argument(inner))
        case ast.Call(func=ast.Name(id=table), args=[], keywords=[_, *_] as named) if table in COLUMNS:
            return Converted(table, Word(table), tuple(map(_column, named)))
        case _:
            raise _wrong(f"a call cannot hold {ast.unparse(node)!r}: it is parsed, not evaluated")


def _column(node: ast.keyword) -> tuple[str, str]:
    known = {column for columns in COLUMNS.values() for column in columns}
    match node:
        case ast.keyword(arg=str(name), value=ast.Constant(value=str() as column)) if name in known:
            return name, column
    raise _wrong(f"a table has the columns {', '.join(sorted(known))}: rename them as in docid='item'")


def _wrong(message: str) -> UsageError:
    words = f"{', '.join(WORDS)}; and around a word {', '.join(CONVERSIONS)}"
    return UsageError(message, hint=f'write --call "f(WORD, ...)" with the words {words}')
