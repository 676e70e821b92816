"""Calls of a metric: parsed from text and never evaluated.

"f(gains, k)"   "f(ranked_ids, set(relevant_ids), k)"   "f([y_true], [y_score], k=k)"   "f(qrels, run)"
"f(each(relevant_ids), each(ranked_ids), k)"   "f(k).compute(array(gains))"   "f(binary, k)['precision']"
"f(qrels, run, measure)"   "f(gains, measure('ndcg_cut_{k}'))"   "f(results_df(docid='item'), qrels_df)"
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections import namedtuple
from collections.abc import Awaitable, Callable, Iterator
from functools import cache
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.auditing.words import (
    COLUMNS,
    CONVERSIONS,
    FRAMES,
    LABELLED,
    OF_ALL_QUERIES,
    OF_ANY_INPUT,
    OF_JUDGEMENTS,
    ROWS,
    SINGLE_VALUES,
    WITH_SCORES,
    WORDS,
    Materials,
    Source,
)
from crosscheck.axes import axes
from crosscheck.axes.base import PassedAs
from crosscheck.axes.summaries import AVERAGING
from crosscheck.errors import UsageError, did_you_mean
from crosscheck.names.spelling import spelt


class Word(Struct, frozen=True):
    """A word of a call: ``gains``, ``results_df(docid='item')``, ``measure('ndcg_cut_{k}')``.

    Attributes:
        renamed: the columns of a table that have other names.
        spelling: the name of the measure, with ``{k}`` for the cutoff; empty for crosscheck's own name.
    """

    name: str
    renamed: tuple[tuple[str, str], ...] = ()
    spelling: str = ""

    def __str__(self) -> str:
        written = [repr(self.spelling)] * bool(self.spelling)
        written += [f"{column}={name!r}" for column, name in self.renamed]
        return self.name + (f"({', '.join(written)})" if written else "")

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of a table."""
        return tuple(dict(self.renamed).get(column, column) for column in COLUMNS[self.name])


class Constant(Struct, frozen=True):
    value: str | int | float | bool | None

    def __str__(self) -> str:
        return repr(self.value)


class Converted(Struct, frozen=True):
    """A conversion of an argument, such as ``set(relevant_ids)``, or several in brackets: ``[y_true]``.

    Attributes:
        kind: name of the conversion, or the brackets.
    """

    kind: str
    items: tuple[Argument, ...]

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.items))
        if self.kind in CONVERSIONS:
            return f"{self.kind}({inside})"
        return self.kind[0] + inside + "," * (self.kind == "()" and len(self.items) == 1) + self.kind[1]


Argument: TypeAlias = Word | Constant | Converted
_BRACKETS: dict[type[ast.expr], str] = {ast.List: "[]", ast.Tuple: "()", ast.Set: "{}"}


def words_in(
    argument: Argument, around: frozenset[str] = frozenset()
) -> Iterator[tuple[Word, frozenset[str]]]:
    """The words in an argument, each with the conversions around it."""
    match argument:
        case Word():
            yield argument, around
        case Converted(kind, items):
            for item in items:
                yield from words_in(item, around | {kind})


def _changed(argument: Argument, change: Callable[[Word], Word]) -> Argument:
    match argument:
        case Word():
            return change(argument)
        case Converted(kind, items):
            return Converted(kind, tuple(_changed(item, change) for item in items))
    return argument


class Step(Struct, frozen=True):
    """One pair of brackets of a call, with its positional arguments and its keyword arguments.

    Attributes:
        method: the method that is called, None for the function or class itself.
    """

    positional: tuple[Argument, ...] = ()
    keywords: tuple[tuple[str, Argument], ...] = ()
    method: str | None = None


class Pick(Struct, frozen=True):
    """One of several returned values: an item of the result, or an attribute."""

    key: str | int
    attribute: bool = False

    def __str__(self) -> str:
        return f".{self.key}" if self.attribute else f"[{self.key!r}]"


class Call(Struct, frozen=True):
    """A call of a function, or of a class and then of methods, and the value to take from the result.

    After a method that returns None, the next one is called on the same object:
    ``f(k).update(y_true, y_score).compute()``.
    """

    steps: tuple[Step, ...]
    picks: tuple[Pick, ...] = ()

    def __str__(self) -> str:
        return self.text(str)

    def text(self, of: Callable[[Argument], str]) -> str:
        """The call as a Python expression; ``of`` gives the text of each argument."""
        written = "f"
        for step in self.steps:
            inside = [*map(of, step.positional), *(f"{name}={of(value)}" for name, value in step.keywords)]
            written += (
                f"{'' if step.method in (None, '__call__') else f'.{step.method}'}({', '.join(inside)})"
            )
        return written + "".join(map(str, self.picks))

    def picking(self, *picks: Pick) -> Call:
        """This call, with further picks applied to the value that it takes now."""
        return replace(self, picks=(*self.picks, *picks))

    def with_words(self, change: Callable[[Word], Word]) -> Call:
        """This call with each word changed."""

        def changed(step: Step) -> Step:
            keywords = tuple((name, _changed(value, change)) for name, value in step.keywords)
            return Step(tuple(_changed(value, change) for value in step.positional), keywords, step.method)

        return replace(self, steps=tuple(map(changed, self.steps)))

    def spelling(self, template: str) -> Call:
        """This call, with the name of the measure spelt in this way."""
        return self.with_words(lambda word: Word("measure", (), template) if word.name == "measure" else word)

    @property
    def spellings(self) -> list[str]:
        """The spelling of the measure's name wherever the call passes it."""
        return [word.spelling for word, _ in self._places if word.name == "measure"]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return tuple(
            a for step in self.steps for a in (*step.positional, *(value for _, value in step.keywords))
        )

    @property
    def words(self) -> frozenset[str]:
        return frozenset(word.name for word, _ in self._places)

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
        return all("items" in around or w.name in ROWS for w, around in self._places if w.name in WITH_SCORES)

    @property
    def passes_scores(self) -> bool:
        """Whether scores are passed."""
        return not self.words.isdisjoint(WITH_SCORES)

    @property
    def named_queries(self) -> bool:
        """Whether the ids of queries are passed."""
        return any(word.name in OF_ALL_QUERIES or "by_query" in around for word, around in self._places)

    @property
    def fixed_axes(self) -> frozenset[str]:
        """The axes fixed by the arguments, so that the metric has no choice."""
        passed_as = self._passed_as
        fixed = frozenset(axis.name for axis in axes().values() if axis.fixed_when_passed & passed_as)
        return fixed if self.by_query else fixed - {AVERAGING.name}

    @property
    def _places(self) -> list[tuple[Word, frozenset[str]]]:
        return [place for argument in self.arguments for place in words_in(argument)]

    @property
    def _of_all(self) -> frozenset[str]:
        """The words that pass all queries."""
        over = {"each", "by_query"}
        return frozenset(w.name for w, around in self._places if w.name in OF_ALL_QUERIES or around & over)

    @property
    def _passed_as(self) -> PassedAs:
        of_query = PassedAs.ONE_QUERY if self.by_query or not self.named_queries else PassedAs.NOTHING
        if self.words & {"scored", "run"}:
            return of_query | PassedAs.DICT
        if not self.words.isdisjoint(COLUMNS):
            return of_query if self.words.isdisjoint(LABELLED) else PassedAs.ONE_QUERY | PassedAs.LEVELS
        if not self.passes_scores:
            of_query |= PassedAs.RANK_ORDER
        if "ranked_ids" not in self.words or not self.words & {"relevant_ids", "relevance", "qrels"}:
            of_query |= PassedAs.LEVELS
        return of_query


def parse_call(text: str) -> Call:
    """The call described by a text such as ``"f(gains, k=k)"``. Nothing in it is evaluated.

    Arguments are the words of :data:`~crosscheck.auditing.words.WORDS`, constants, lists, tuples and sets of
    arguments, and conversions such as ``set(relevant_ids)``. ``results_df(docid="item")`` is the table with
    another name for a column, ``measure("ndcg_cut_{k}")`` the name of the measure in another spelling.

    Raises:
        UsageError: anything else, and a mixture of words for one query and words for all of them.
    """
    try:
        call = _parsed(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _wrong(f"the call {text!r} is not a Python call") from None
    of_all = call._of_all
    if not call.by_query and (alone := call.words - of_all - OF_ANY_INPUT):
        of_one = ", ".join(sorted(alone))
        raise _wrong(f"the call mixes all queries ({', '.join(sorted(of_all))}) with one query ({of_one})")
    if not call.words - SINGLE_VALUES:
        raise _wrong(f"the call {text!r} passes no ranking")
    return call


def _parsed(node: ast.expr) -> Call:
    """The call of a syntax tree.

    Raises:
        ValueError: it is none; UsageError: its arguments are none.
    """
    match node:
        case ast.Subscript(value=inner, slice=ast.Constant() | ast.UnaryOp() as place):
            key = ast.literal_eval(place)
            if isinstance(key, str | int):
                return _parsed(inner).picking(Pick(key))
        case ast.Attribute(value=inner, attr=name):
            return _parsed(inner).picking(Pick(name, attribute=True))
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr=method)):
            return Call((*_parsed(inner).steps, _step(node, method)))
        case ast.Call(func=ast.Call() as inner):
            return Call((*_parsed(inner).steps, _step(node, "__call__")))
        case ast.Call(func=function) if re.fullmatch(r"\w+(\.\w+)*", ast.unparse(function)):
            return Call((_step(node, None),))
    raise ValueError


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
        case ast.Constant(value=None | str() | int() | float()) | ast.UnaryOp(ast.USub(), ast.Constant()):
            return Constant(ast.literal_eval(node))
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return Converted(_BRACKETS[type(node)], tuple(map(_argument, items)))
        case ast.Call(ast.Name("measure"), [ast.Constant(str(text))], []):
            return Word("measure", spelling=text)
        case ast.Call(ast.Name(kind), [inner], []) if kind in CONVERSIONS:
            return Converted(kind, (_argument(inner),))
        case ast.Call(ast.Name(table), [], [_, *_] as named) if table in COLUMNS:
            return Word(table, tuple(map(_column, named)))
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


#: (pattern of a column name, our column that such a name means), likeliest first.
_MEANINGS = (
    (r"score|pred|prob|similarity", "score"),
    (r"rank|position|posic", "rank"),
    (r"rel|grade|rating|label|gain|judg|target", "rel"),
    (r"quer|user|topic|qid|session|customer|consulta", "query"),
    (r"doc|item|passage|product|movie|pid|did|corpus|chunk|node|^_?id$", "docid"),
    (r"score", "rel"),
)


def columns_meant(name: str) -> list[str]:
    """Our columns that a name of a column may mean, likeliest first; in qrels a score is a level."""
    bare, of_qrels = re.subn(r"qrels?", "", name.lower())
    meant = [column for part, column in _MEANINGS if re.search(part, bare)]
    return [column for column in meant if not (of_qrels and column == "score")]


def with_column(call: Call, missed: KeyError | AttributeError) -> Call | None:
    """The call with a column renamed to the name that a function missed; None if no column fits that name."""
    name = missed.args[0] if isinstance(missed, KeyError) and missed.args else getattr(missed, "name", None)
    if not isinstance(name, str):
        return None
    name = name.removeprefix("Column not found: ")  # said by groups of a data frame
    for one in re.findall(r"'([^']+)'", name) or [name]:
        for column in columns_meant(one):

            def renamed(word: Word, column: str = column, one: str = one) -> Word:
                taken = dict(word.renamed)
                if column in taken or column not in COLUMNS.get(word.name, ()):
                    return word
                names = taken | {column: one}
                return Word(word.name, tuple((c, names[c]) for c in COLUMNS[word.name] if c in names))

            if (changed := call.with_words(renamed)) != call:
                return changed
    return None


_COLLECTIONS: dict[str, Any] = {"[]": list, "()": tuple, "{}": set}


def made(argument: Argument, source: Source) -> Any:
    """The value of one argument of a call."""
    match argument:
        case Constant(value):
            return value
        case Word("measure", _, template):
            return spelt(template, source.word("measure"))
        case Word(table) if table in FRAMES:
            import pandas as pd

            return pd.DataFrame(_rows(argument, source), columns=list(argument.columns))
        case Word(table) if table in ROWS:
            return [_record(argument)(*row) for row in _rows(argument, source)]
        case Word(name):
            return source.word(name)
        case Converted("dicts", (Word() as table,)) if table.name in ROWS:
            return [dict(zip(table.columns, row, strict=True)) for row in _rows(table, source)]
        case Converted("each", (of,)):
            return [made(of, Source(source.materials, query)) for query in source.materials.queries]
        case Converted("by_query", (of,)):
            judged = any(word.name in OF_JUDGEMENTS for word, _ in words_in(of))
            materials = source.materials
            queries = materials.of(materials.qrels if judged else materials.run)
            return {query.name: made(of, Source(materials, query)) for query in queries}
        case Converted(kind, items) if kind in _COLLECTIONS:
            return _COLLECTIONS[kind](made(item, source) for item in items)
        case Converted(kind, (of,)):
            return CONVERSIONS[kind][1](made(of, source))
    raise AssertionError(argument)


def _rows(table: Word, source: Source) -> list[tuple[Any, ...]]:
    """The rows of a table, with its own columns only."""
    at = [("query", "docid", "rank", "score", "rel").index(column) for column in COLUMNS[table.name]]
    return [tuple(row[i] for i in at) for row in source.word(table.name)]


def returned_by(function: Any, call: Call, source: Source) -> Any:
    """The value that the call picks from the result of the function."""
    value = function
    for number, step in enumerate(call.steps, 1):
        asked = value if step.method is None else getattr(value, step.method)
        positional = [made(argument, source) for argument in step.positional]
        got = asked(*positional, **{name: made(argument, source) for name, argument in step.keywords})
        value = value if got is None and number < len(call.steps) else got
    if inspect.isawaitable(value):
        value = asyncio.run(_awaited(value))
    for pick in call.picks:
        value = getattr(value, str(pick.key)) if pick.attribute else value[pick.key]
    return value


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


@cache
def _record(table: Word) -> Any:
    """The type of the named tuples for rows; a column has no name if its name is no identifier."""
    return namedtuple("Result" if "score" in COLUMNS[table.name] else "Qrel", table.columns, rename=True)


def record_types(call: Call) -> list[str]:
    """Lines of Python that define the types of the named tuples in :func:`as_python`."""
    tables = [word for argument in call.arguments if isinstance(word := argument, Word) and word.name in ROWS]
    lines = [
        f"{(name := _record(table).__name__)} = namedtuple({name!r}, {list(table.columns)}, rename=True)"
        for table in tables
    ]
    return ["from collections import namedtuple", *lines] if lines else []


def as_python(argument: Argument, source: Source) -> str:
    """The value of an argument as a Python expression; numpy, torch and pandas objects as ``array(...)``,
    ``tensor(...)``, ``Series(...)`` and ``DataFrame(...)``."""
    match argument:
        case Converted(("array" | "tensor" | "series") as kind, (of,)):
            return f"{kind.replace('series', 'Series')}({as_python(of, source)})"
        case Converted("[]", items):
            return f"[{', '.join(as_python(item, source) for item in items)}]"
    return _as_text(made(argument, source))


def _as_text(value: Any) -> str:
    """A value as a Python expression; sets sorted, so that it is the same for equal values."""
    match value:
        case set():
            return f"{{{', '.join(sorted(map(repr, value)))}}}" if value else "set()"
        case dict():
            return f"{{{', '.join(f'{key!r}: {_as_text(held)}' for key, held in value.items())}}}"
        case list():
            return f"[{', '.join(map(_as_text, value))}]"
    return f"DataFrame({value.to_dict('list')!r})" if hasattr(value, "to_dict") else repr(value)


def passed(materials: Materials) -> tuple[tuple[str, ...], ...]:
    """The arguments of each call of the function for an input; equal if contents and order are equal."""
    arguments = materials.call.arguments
    return tuple(tuple(as_python(argument, source) for argument in arguments) for source in materials.sources)
