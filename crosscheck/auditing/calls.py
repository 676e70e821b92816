"""Calls of a metric, written as Python expressions, which are parsed and never evaluated:

"f(gains, k)"   "f(ranked_ids, set(relevant_ids), k)"   "f([y_true], [y_score], k=k)"   "f(qrels, run)"
"f(each(relevant_ids), each(ranked_ids), k)"   "f(k).compute(array(gains))"   "f(binary, k)['precision']"
"f(qrels, run, measure)"   "f(gains, measure('ndcg_cut_{k}'))"   "f(results_df(docid='item'), qrels_df)"
"f(each({'retrieved': ranked_ids, 'relevant': relevant_ids}), k)"
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache, cached_property, partial
from importlib import import_module
from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from msgspec import Struct

from crosscheck.auditing import words as kinds
from crosscheck.auditing.words import Materials, Source, in_file
from crosscheck.axes import axes
from crosscheck.axes.base import PassedAs
from crosscheck.axes.forms import MAX_GRADE, MaxGrade
from crosscheck.axes.ids import IDENTICAL_IDS, IDS
from crosscheck.axes.summaries import AVERAGING
from crosscheck.conventions import Conventions
from crosscheck.errors import UsageError, did_you_mean
from crosscheck.inputs.queries import spread, written
from crosscheck.model import IntArray
from crosscheck.names import spelt

#: Words that pass the docnos of judged documents.
_JUDGED_IDS = {"relevant_ids", "relevant_id", "relevance", "qrels"}
#: Lists in rank order that hold scores, so that a function may sort them.
_ROWS = r"(?:ranked|labelled)_rows(?:\([^()]*\))?"
_RANKED = re.compile(rf"items\(scored\)|dicts\({_ROWS}\)|{_ROWS}")
#: Methods that add the data of some queries to what an object holds already.
ADDING = (
    *("update", "update_state", "add", "add_batch", "add_query", "add_example", "add_sample", "append"),
    *("accumulate", "observe", "record", "log", "process", "process_batch", "collect", "step", "push"),
)


class Call(Struct, frozen=True, dict=True):
    """A call of a function (or of a class and then its methods), and which part of the result to use.

    If a method returns None or adds data, the next method is called on the same object, as in
    ``f(k).update(y_true, y_score).compute()``.

    Attributes:
        text: the call as :func:`parse_call` writes it.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    @cached_property
    def tree(self) -> ast.expr:
        return ast.parse(self.text, mode="eval").body

    @cached_property
    def steps(self) -> list[tuple[str | None, ast.Call]]:
        """(method, call) for each pair of brackets, from left to right. The method is None if the function,
        class or object itself is called."""

        def steps_of(node: ast.expr) -> list[tuple[str | None, ast.Call]]:
            match node:
                case ast.Call(func=ast.Attribute(value=inner, attr=method)):
                    return [*steps_of(inner), (method, node)]
                case ast.Call(func=inner):
                    return [*steps_of(inner), (None, node)]
                case ast.Subscript(value=inner) | ast.Attribute(value=inner):
                    return steps_of(inner)
            return []

        return steps_of(self.tree)

    @cached_property
    def arguments(self) -> list[ast.expr]:
        return [a for _, node in self.steps for a in (*node.args, *(named.value for named in node.keywords))]

    def with_arguments(self, of: Callable[[ast.expr], ast.expr]) -> Call:
        """This call with ``of(argument)`` in place of each argument."""
        return Call(ast.unparse(_rewritten(self.tree, of)))

    def spelling(self, template: str) -> Call:
        """This call with the measure's name spelt as in ``template``, such as ``ndcg_cut_{k}``."""
        spelt_so = ast.parse(f"measure({template!r})" if template else "measure", mode="eval").body
        return self.with_arguments(partial(_mapped, lambda w: spelt_so if _name(w) == "measure" else w))

    @property
    def spellings(self) -> list[str]:
        """The spellings in which the call passes the measure's name; "" stands for crosscheck's spelling."""
        return [_spelling(word) for name, word, _ in self._places if name == "measure"]

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(name for name, _, _ in self._places)

    @property
    def slow_packages(self) -> frozenset[str]:
        """The packages that make the arguments of the call and are slow to import."""
        packages = kinds.SLOW_PACKAGES
        return frozenset(packages[name] for name in (self.words | self._around) & packages.keys())

    @property
    def by_query(self) -> bool:
        """Whether the function is called once per query, not once for all queries."""
        return self.of_one or "query" in self.words - self._of_all

    @property
    def of_one(self) -> bool:
        """Whether the call passes the data of a single query."""
        return not self._of_all

    @cached_property
    def in_rank_order(self) -> bool:
        """Whether lists of documents are passed in rank order, not in the order of the run.

        They are if the call passes no scores, or passes scores only in lists of pairs or rows that are not
        said to be unordered.
        """
        scored = [(word, around) for word, _, around in self._places if word in kinds.WITH_SCORES]
        listed = all("items" in around or word in kinds.ROWS for word, around in scored)
        return listed and "unordered" not in self._around

    @property
    def in_input_order(self) -> Call:
        """This call with its lists of pairs and rows in the order of the run."""
        return Call(_RANKED.sub(r"unordered(\g<0>)", self.text))

    @cached_property
    def adding(self) -> int | None:
        """Index of the step that adds data to an object, as ``update`` does, before a last one that returns
        what was added so far, as ``compute()`` does; None if there is none."""
        *_, (adds, _), (_, last) = ((None, None), *self.steps)
        whole = adds in ADDING and len(self.steps) > 2 and not (last.args or last.keywords)
        return len(self.steps) - 2 if whole else None

    @property
    def passes_scores(self) -> bool:
        """Whether the call passes scores of a single query."""
        return not self.words.isdisjoint(kinds.WITH_SCORES)

    @property
    def named_queries(self) -> bool:
        """Whether the call passes the ids of queries."""
        named = kinds.OF_ALL_QUERIES - kinds.IN_ONE_LIST | {"query"} & self._of_all
        return any(name in named or "by_query" in around for name, _, around in self._places)

    @property
    def passes_files(self) -> bool:
        """Whether the call passes paths of files."""
        return not self._around.isdisjoint(kinds.FILES)

    @property
    def of_one_relevant(self) -> bool:
        """Whether the call passes one relevant document of each query, so that there must not be more."""
        return not self.words.isdisjoint(("relevant_id", "rank"))

    @property
    def passes_records(self) -> bool:
        """Whether the call passes dicts, or objects, with several data of a query."""
        return any(isinstance(node, ast.Dict) for node in ast.walk(self.tree))

    @property
    def numbers_docnos(self) -> bool:
        """Whether the call passes integers for docnos."""
        return "ints" in self._around

    @property
    def names_columns(self) -> bool:
        """Whether the call renames columns of tables."""
        return any(isinstance(word, ast.Call) for name, word, _ in self._places if name in kinds.COLUMNS)

    @property
    def fixed_axes(self) -> frozenset[str]:
        """The axes on which the arguments leave the metric no choice, such as ``ties`` for a ranked list."""
        fixed = frozenset(axis.name for axis in axes().values() if axis.fixed_when_passed & self.passed_as)
        free = {IDENTICAL_IDS.name} if "query" in self.words else set()
        if not self.by_query or self.adding:
            free.add(AVERAGING.name)
        given = {MAX_GRADE.name} if "max_grade" in self.words else set()
        given |= {IDS.name} if self.numbers_docnos else set()
        return fixed - free | given

    def leaves(self, conventions: Conventions) -> Conventions:
        """The conventions with trec_eval's value on each axis that the arguments fix, and with the highest
        level that they pass.

        A value that shows in a single query is kept, because the metric can have it all the same.
        """
        fixed = (axis for axis in conventions.changed if axis.name in self.fixed_axes)
        idle = (axis for axis in fixed if conventions[axis] not in axis.visible_in_one_query)
        kept = conventions.with_values((axis, axis.default) for axis in idle)
        return kept.having(MAX_GRADE, MaxGrade.QRELS) if "max_grade" in self.words else kept

    @cached_property
    def _places(self) -> list[tuple[str, ast.expr, frozenset[str]]]:
        """The words in all arguments; see :func:`words_in`."""
        return [place for argument in self.arguments for place in words_in(argument)]

    @cached_property
    def _around(self) -> frozenset[str]:
        """The conversions and containers around the words."""
        return frozenset[str]().union(*(around for _, _, around in self._places))

    @cached_property
    def _of_all(self) -> frozenset[str]:
        """The words that pass all queries."""
        over = {"each", "by_query"}
        return frozenset(w for w, _, around in self._places if w in kinds.OF_ALL_QUERIES or around & over)

    @cached_property
    def passed_as(self) -> PassedAs:
        """The kinds of input that the call passes and that fix some axes."""
        chosen = self.by_query or not self.named_queries or "query" in self._of_all
        of_query = PassedAs.ONE_QUERY if chosen else PassedAs.NOTHING
        if self.words & {"scored", "run"}:
            return of_query | PassedAs.DICT
        if "tsv" in self._around:  # results with ranks and without scores
            return of_query | PassedAs.RANK_ORDER
        if not self.words.isdisjoint(kinds.COLUMNS):
            return of_query if self.words.isdisjoint(kinds.LABELLED) else PassedAs.ONE_QUERY | PassedAs.LEVELS
        if not self.passes_scores:
            of_query |= PassedAs.RANK_ORDER
        if "ranked_ids" not in self.words or self.words.isdisjoint(_JUDGED_IDS):
            of_query |= PassedAs.LEVELS
        return of_query


def _name(node: ast.expr) -> str:
    """The name of a word, table or conversion; empty for anything else."""
    match node:
        case ast.Name(name) | ast.Call(func=ast.Name(name)):
            return name
    return ""


def words_in(
    argument: ast.expr, around: frozenset[str] = frozenset()
) -> Iterator[tuple[str, ast.expr, frozenset[str]]]:
    """The words in an argument, each as (name, node, names of the conversions and containers around it)."""
    name = _name(argument)
    parts = "args" if name in kinds.CONVERSIONS else "values" if isinstance(argument, ast.Dict) else "elts"
    if name and name not in kinds.CONVERSIONS:
        yield name, argument, around
    for inner in getattr(argument, parts, ()):
        yield from words_in(inner, around | {name})


def _mapped(of: Callable[[ast.expr], ast.expr], argument: ast.expr) -> ast.expr:
    """An argument in which each word and constant is replaced by ``of(word)``."""
    match argument:
        case ast.Call(func=ast.Name(kind), args=[inner], keywords=[]) if kind in kinds.CONVERSIONS:
            return ast.Call(ast.Name(kind), [_mapped(of, inner)], [])
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return type(argument)(elts=[_mapped(of, item) for item in items])
        case ast.Dict(keys=keys, values=values) if all(isinstance(_key(key), str) for key in keys):
            return ast.Dict(keys, [_mapped(of, value) for value in values])
    return of(argument)


def _key(node: ast.expr | None) -> Any:
    """A key of a dict in a call; None if it is no constant."""
    return node.value if isinstance(node, ast.Constant) else None


def _rewritten(node: ast.expr, of: Callable[[ast.expr], ast.expr]) -> ast.expr:
    """A call in which each argument is replaced by ``of(argument)``, and the name of the function by ``f``.

    Raises:
        ValueError: the node is not a call.
    """
    match node:
        case ast.Subscript(value=inner, slice=place) if isinstance(ast.literal_eval(place), str | int):
            return ast.Subscript(_rewritten(inner, of), place)
        case ast.Attribute(value=inner, attr=name):
            return ast.Attribute(_rewritten(inner, of), name)
        case ast.Call(func=function, args=passed, keywords=named):
            before = function.value if isinstance(function, ast.Attribute) else function
            if not isinstance(before, ast.Call) and not re.fullmatch(r"\w+(\.\w+)*", ast.unparse(function)):
                raise ValueError
            function = _rewritten(function, of) if isinstance(before, ast.Call) else ast.Name("f")
            keywords = [ast.keyword(keyword.arg, of(keyword.value)) for keyword in named]
            return ast.Call(function, [of(argument) for argument in passed], keywords)
    raise ValueError


def parse_call(text: str) -> Call:
    """The call that a text such as ``"f(gains, k=k)"`` describes. Nothing in the text is evaluated.

    An argument is a word of :data:`~crosscheck.auditing.words.WORDS`, a constant, a list, tuple or set of
    arguments, a dict of them with texts as keys, or a conversion such as ``set(relevant_ids)``.
    ``results_df(docid="item")`` renames a column of a table; ``measure("ndcg_cut_{k}")`` passes the name of
    the measure in this spelling.

    Raises:
        UsageError: the text is not such a call, or it mixes words that pass one query (``gains``) with words
            that pass all queries (``qrels``).
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        call = Call(ast.unparse(_rewritten(tree, partial(_mapped, _checked))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _wrong(f"the call {text!r} is not a Python call") from None
    if any(keyword.arg is None for _, node in call.steps for keyword in node.keywords):
        raise _wrong("a call cannot contain **")
    for argument in call.arguments:
        _check_conversions(argument)
    of_all = call._of_all
    if not call.by_query and (alone := call.words - of_all - kinds.OF_ANY_INPUT):
        of_one = ", ".join(sorted(alone))
        raise _wrong(f"the call mixes all queries ({', '.join(sorted(of_all))}) with one query ({of_one})")
    if not call.words - kinds.SINGLE_VALUES:
        raise _wrong(f"the call {text!r} passes no ranking")
    return call


def _checked(word: ast.expr) -> ast.expr:
    """The node itself, if it is a word or constant that a call may contain.

    Raises:
        UsageError: it is neither.
    """
    match word:
        case ast.Name(name) if name not in kinds.WORDS:
            raise _wrong(f"a call has no word {name!r}{did_you_mean(name, kinds.WORDS, '; ')}")
        case ast.Name() | ast.Constant(None | str() | int() | float()):
            return word
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float())):
            return word
        case ast.Call(ast.Name("measure"), [ast.Constant(str())], []):
            return word
        case ast.Call(ast.Name(table), [], [_, *_] as named) if table in kinds.COLUMNS:
            columns = kinds.NAMEABLE[table]
            texts = (isinstance(getattr(one.value, "value", 0), str | None) for one in named)
            if all(texts) and {*columns}.issuperset(one.arg for one in named):
                return word
            rename = "rename one as in docid='item', drop it as in docid=None"
            raise _wrong(f"{table} has the columns {', '.join(columns)}: {rename}")
    raise _wrong(f"a call cannot contain {ast.unparse(word)!r}: calls are parsed, not evaluated")


#: Conversion -> the words that it may be around, if these are only some.
_AROUND = {
    **dict.fromkeys(kinds.FILES, ("qrels_rows", "results_rows")),
    "flat": ("qrels", "run"),
    "dicts": tuple(kinds.COLUMNS),
    "polars": tuple(filter(kinds.FRAMES.__contains__, kinds.COLUMNS)),
}


def _check_conversions(argument: ast.expr) -> None:
    """Raise a UsageError if a conversion that takes only certain words is around another one, or if a file is
    not the whole argument."""
    conversions = (node for node in ast.walk(argument) if isinstance(node, ast.Call))
    for node, name in ((node, _name(node)) for node in conversions):
        words = _AROUND.get(name)
        renamed = name in kinds.FILES and isinstance(node.args[0], ast.Call)
        if words and (renamed or _name(node.args[0]) not in words):
            raise _wrong(f"{name}() must be around {' or '.join(words)}")
        if name == "record" and not isinstance(node.args[0], ast.Dict):
            raise _wrong("record() must be around a dict, as in record({'relevant': relevant_ids})")
        if name in kinds.FILES and node is not argument:
            raise _wrong(f"{name}() must be a whole argument")


def _wrong(message: str) -> UsageError:
    """The error for a call that cannot be parsed, with all words in its hint."""
    words = f"{', '.join(kinds.WORDS)}; and around a word {', '.join(kinds.CONVERSIONS)}"
    return UsageError(message, hint=f'write --call "f(WORD, ...)" with the words {words}')


def _spelling(word: ast.expr) -> str:
    """The template in ``measure('ndcg_cut_{k}')``; empty for ``measure`` alone."""
    return str(ast.literal_eval(word.args[0])) if isinstance(word, ast.Call) else ""


def _renamed(table: ast.expr) -> dict[str, str | None]:
    """Column -> its new name, for each column that a call renames; None for a column that it drops."""
    named = table.keywords if isinstance(table, ast.Call) else ()
    return {str(one.arg): ast.literal_eval(one.value) for one in named}


#: (pattern in the name of a column, the column of crosscheck that the name means), likeliest first.
_MEANINGS = (
    (r"score|pred|prob|similarity", "score"),
    (r"rank|position|posic", "rank"),
    (r"rel|grade|rating|label|gain|judg|target|star|click|purchase", "rel"),
    (r"quer|user|topic|qid|session|customer|consulta|question|member|visitor|client", "query"),
    (r"doc|item|passage|product|movie|pid|did|corpus|chunk|node|^_?id$|sku|article|song|track|book", "docid"),
    (r"score", "rel"),
    (r"rating", "score"),
)


def columns_meant(name: str) -> list[str]:
    """The columns of crosscheck that a column name of a user may mean, likeliest first. A score in qrels is a
    level."""
    bare, of_qrels = re.subn(r"qrels?", "", name.lower())
    meant = [column for part, column in _MEANINGS if re.search(part, bare)]
    return [column for column in meant if not (of_qrels and column == "score")]


def named_columns(call: Call, names: dict[str, str | None]) -> Call:
    """The call with columns of its tables renamed as in ``names``; None drops a column. Columns that the call
    already renames keep their new names."""

    def named(word: ast.expr) -> ast.expr:
        columns = kinds.NAMEABLE.get(_name(word), ())
        all_names = {c: name for c, name in (names | _renamed(word)).items() if c in columns}
        keywords = [ast.keyword(c, ast.Constant(all_names[c])) for c in columns if c in all_names]
        return ast.Call(ast.Name(_name(word)), [], keywords) if keywords else word

    return call.with_arguments(partial(_mapped, named))


def with_columns(call: Call, error: Exception) -> list[Call]:
    """The calls that pass what a function did not find, by its error: one with a column renamed, if the error
    has a missing key, a missing attribute, or a name in quotes that fits the column; those with a further
    column in some tuples, if these are too short. Empty if the error says nothing of the kind."""
    if re.search(r"not enough values to unpack|tuple index out of range", str(error)):
        longer = (named_columns(call, {of: of}) for of in chain.from_iterable(kinds.FURTHER.values()))
        return [*dict.fromkeys(one for one in longer if one != call)]
    missed = error.args[0] if isinstance(error, KeyError) and error.args else getattr(error, "name", None)
    text = missed.removeprefix("Column not found: ") if isinstance(missed, str) else str(error)
    for name in re.findall(r"""['"](\w[^'"]*)['"]""", text) or [text] * isinstance(missed, str):
        for column in columns_meant(name):
            if (changed := named_columns(call, {column: name})) != call:
                return [changed]
    return []


def made(argument: ast.expr, source: Source) -> Any:
    """The value of one argument of a call."""
    match argument:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            container = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(argument)]
            return container(made(item, source) for item in items)
        case ast.Dict(keys=keys, values=values):
            return {_key(key): made(value, source) for key, value in zip(keys, values, strict=True)}
        case ast.Name("measure") | ast.Call(func=ast.Name("measure")):
            return spelt(_spelling(argument), source.word("measure"))
        case ast.Call(func=ast.Name("dicts"), args=[table]):
            # One more key does no harm, unlike one more item of a tuple.
            rows, columns = _rows_and_columns(table, source, "rank" in kinds.FURTHER.get(_name(table), ()))
            return [dict(zip(columns, row, strict=True)) for row in rows]
        case ast.Call(func=ast.Name("ints"), args=[of]):
            numbers, value = source.materials.numbers, made(of, source)
            if value is None or isinstance(value, str):
                return numbers.get(value or "", -1)
            if isinstance(value, dict):
                return {numbers[docno]: of_docno for docno, of_docno in value.items()}
            return [numbers[docno] for docno in value]
        case ast.Call(func=ast.Name("polars"), args=[table]):
            rows, columns = _rows_and_columns(table, source)
            return import_module("polars").DataFrame(rows, columns, orient="row")
        case ast.Call(func=ast.Name(form), args=[table]) if form in kinds.FILES:
            return _file(form, _name(table), source)
        case ast.Call(func=ast.Name("each"), args=[of]):
            return [made(of, Source(source.materials, query)) for query in source.materials.queries]
        case ast.Call(func=ast.Name("by_query"), args=[of]):
            judged = any(word in kinds.OF_JUDGEMENTS for word, _, _ in words_in(of))
            materials = source.materials
            queries = materials.queries_of(materials.qrels if judged else materials.run)
            return {query.name: made(of, Source(materials, query)) for query in queries}
        case ast.Call(func=ast.Name(kind), args=[of]):
            return kinds.CONVERSIONS[kind](made(of, source))
        case ast.Name(name) if name not in kinds.COLUMNS:
            return source.word(name)
        case ast.Name() | ast.Call():
            rows, columns = _rows_and_columns(argument, source)
            if _name(argument) in kinds.ROWS:
                return [*map(_record(_name(argument), tuple(columns))._make, rows)]
            import pandas as pd

            return pd.DataFrame(rows, row_labels(len(rows)), columns)
    return ast.literal_eval(argument)


class File(Struct, frozen=True):
    """A file to pass. A function gets its path; it exists during the call.

    Attributes:
        name: name of the file; text: what it holds.
        as_path: whether a :class:`pathlib.Path` is passed, not a text.
    """

    name: str
    text: str
    as_path: bool = False

    def path(self, open_files: ExitStack) -> str | Path:
        """Write the file into a new folder, which ``open_files`` removes, and return its path."""
        folder = TemporaryDirectory(prefix="crosscheck-", ignore_cleanup_errors=True)
        path = Path(open_files.enter_context(folder), self.name)
        path.write_text(self.text, "utf-8", newline="\n")
        return path if self.as_path else str(path)


def _file(form: str, table: str, source: Source) -> File:
    """The file with the rows of a table in the form of trec_eval, or of MS MARCO (``tsv``: the results in
    trec_eval's order, with their ranks in this order)."""
    materials = source.materials
    if form == "tsv" and table == "results_rows":
        lines = (
            f"{in_file(query.name)}\t{in_file(line.docno)}\t{rank}\n"
            for query in materials.queries_of(materials.run)
            for rank, line in enumerate(query.ranking, 1)
        )
        return File("run.tsv", "".join(lines))
    rows = [(*map(in_file, row[:2]), *row[2:]) for row in source.word(table)]
    if table == "results_rows":
        _, text = written((), (row[:4] for row in rows))
        return File("run.txt", text, as_path=form == "path")
    text, _ = written(((query, docno, level) for query, docno, _, _, level in rows), ())
    if form == "tsv":
        return File("qrels.tsv", text.replace(" ", "\t"))
    return File("qrels", text, as_path=form == "path")


def row_labels(number: int) -> IntArray:
    """The index of a frame with this number of rows: out of order, as it is after the frame was sorted."""
    return np.argsort(spread(number))


def _rows_and_columns(
    table: ast.expr, source: Source, ranked: bool = False
) -> tuple[list[tuple[Any, ...]], list[str]]:
    """The rows of a table, reduced to the columns that the call passes, and the names of these columns.

    Args:
        ranked: whether a column of ranks is added.
    """
    names = _columns(table)
    names |= {"rank": names.get("rank", "rank")} if ranked else {}
    at = [("query", "docid", "rank", "score", "rel", "iter").index(column) for column in names]
    return [tuple((*row, "0")[i] for i in at) for row in source.word(_name(table))], list(names.values())


def _columns(table: ast.expr) -> dict[str, str]:
    """Column -> the name under which a call passes it, without the columns that the call drops."""
    renamed = _renamed(table)
    every = (c for c in kinds.EVERY_COLUMN if c in renamed or c in kinds.COLUMNS[_name(table)])
    names = {column: renamed.get(column, column) for column in every}
    return {column: name for column, name in names.items() if name is not None}


@cache
def _record(table: str, columns: tuple[str, ...]) -> Any:
    """The named-tuple class for the rows of a table. A column whose name is not an identifier gets none."""
    return namedtuple("Result" if "score" in kinds.COLUMNS[table] else "Qrel", columns, rename=True)


class Watch(Struct, eq=False):
    """Notes which arguments a function modifies, and reuses lists and dicts: each is passed again in the next
    call, with the contents that are due there. A function that keeps results by the identity of an argument
    then gives an old result.

    Attributes:
        modified: texts of the arguments that the function modified.
        earlier: text of an argument -> the object that was last passed for it.
        kept: text of a first call and its arguments -> the object that it gave, which is then used again;
            None for a new object in each call.
    """

    modified: set[str] = set()
    earlier: dict[str, Any] = {}
    kept: dict[tuple[str, str], Any] | None = None


def _refilled(held: Any, contents: Any) -> Any:
    """``held`` with these contents if both are lists or both dicts; otherwise the contents themselves."""
    if type(held) is dict and type(contents) is dict:
        contents = {key: _refilled(held.get(key), value) for key, value in contents.items()}
        held.clear()
        held.update(contents)
    elif type(held) is list and type(contents) is list:
        held[:] = contents
    else:
        return contents
    return held


def returned_by(function: Any, call: Call, sources: Sequence[Source], watch: Watch | None = None) -> Any:
    """Call a function, and return the part of its result that the call selects.

    Args:
        sources: the data to pass; several if the call adds them one after the other to one object.
        watch: keeps the arguments, and notes which of them the function modified; None for neither.
    """
    with ExitStack() as open_files:
        value, used = _result(function, call, sources, open_files, watch)
        if inspect.iscoroutine(value):
            import asyncio  # takes longer to load than most metrics

            value = asyncio.run(value)
        elif inspect.isgenerator(value):
            value = [*value]
    if watch is not None:
        texts = [(ast.unparse(word), word, held, of) for word, held, of in used]
        watch.modified.update(text for text, word, held, of in texts if not _alike(held, made(word, of)))
        watch.earlier.update((text, held) for text, _, held, _ in texts)
    return _picked(call.tree, value)


def _result(
    function: Any, call: Call, sources: Sequence[Source], open_files: ExitStack, watch: Watch | None
) -> tuple[Any, list[tuple[ast.expr, Any, Source]]]:
    """(what the last step of a call returned, each argument that was passed with its text and its source).
    Files that are passed go into ``open_files``."""
    value = function
    used: list[tuple[ast.expr, Any, Source]] = []
    for number, (method, node) in enumerate(call.steps):
        adds = number == call.adding
        asked = value if method is None else getattr(value, method)
        words = [*node.args, *(keyword.value for keyword in node.keywords)]
        for source in sources if adds else sources[:1]:
            held = [made(word, source) for word in words]
            if watch is not None:
                earlier = [watch.earlier.pop(ast.unparse(word), None) for word in words]
                held = list(map(_refilled, earlier, held))
            used += ((word, passed_now, source) for word, passed_now in zip(words, held, strict=True))
            given = [value.path(open_files) if isinstance(value, File) else value for value in held]
            named = zip(node.keywords, given[len(node.args) :], strict=True)
            keywords = {str(key.arg): one for key, one in named}
            if number or watch is None or watch.kept is None:
                got = asked(*given[: len(node.args)], **keywords)
                continue
            text = ast.unparse(node), repr(held)
            if text not in watch.kept:
                watch.kept[text] = asked(*given[: len(node.args)], **keywords)
            got = watch.kept[text]
        value = value if adds or (got is None and number < len(call.steps) - 1) else got
    return value, used


def _alike(one: Any, other: Any) -> bool:
    """Whether two arguments are equal: arrays, tensors and frames by content, dicts in any order of keys."""
    if hasattr(one, "equals"):
        return bool(one.equals(other))
    if hasattr(one, "tolist"):
        return bool(one.tolist() == other.tolist())
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)


def _picked(node: ast.expr, value: Any) -> Any:
    """The item or attribute of a result that a call selects."""
    match node:
        case ast.Subscript(value=inner, slice=place):
            return _picked(inner, value)[ast.literal_eval(place)]
        case ast.Attribute(value=inner, attr=name):
            return getattr(_picked(inner, value), name)
    return value


def as_program(call: Call, sources: Sequence[Source]) -> list[str]:
    """Lines of Python that print the result of the call, with the values of the arguments written out. An
    object whose method returns None, as ``update`` usually does, is kept for the next method.

    Args:
        sources: the data to pass, as for :func:`returned_by`.
    """

    def filled(source: Source) -> tuple[Call, list[str]]:
        """The call with values, and the text of each step but the last, with what precedes it."""
        call_of = call.with_arguments(lambda argument: ast.Name(as_python(argument, source)))
        return call_of, ["", *(ast.unparse(node) for _, node in call_of.steps[:-1])]

    first, texts = filled(sources[0])
    if len(texts) < 3:
        return [f"print({first})"]
    lines: list[str] = []
    for number, (before, whole) in enumerate(pairwise(texts)):
        if number == call.adding:
            pairs = (filled(source)[1][-2:] for source in sources)
            lines += [f"metric{text.removeprefix(earlier)}" for earlier, text in pairs]
        elif call.steps[number][0] is None:
            lines.append(f"metric = {whole}")
        else:
            lines.append(f"metric = metric{whole.removeprefix(before)} or metric")
    return [*lines, f"print(metric{str(first).removeprefix(texts[-1])})"]


def definitions(call: Call) -> list[str]:
    """Lines of Python that define the named-tuple classes, and the function that writes a file, used by
    :func:`as_program`."""
    of_file = [
        "import os",
        "import tempfile",
        "def file(name, text):",
        "    path = os.path.join(tempfile.mkdtemp(), name)",
        "    with open(path, 'w', encoding='utf-8') as opened:",
        "        opened.write(text)",
        "    return path",
    ]
    tables = {_name(one): [*_columns(one).values()] for one in call.arguments if _name(one) in kinds.ROWS}
    records = {_record(table, tuple(names)).__name__: names for table, names in tables.items()}
    lines = [f"{kind} = namedtuple({kind!r}, {names}, rename=True)" for kind, names in records.items()]
    if "record" in call._around:
        lines.append("from types import SimpleNamespace as namespace")
    return [*["from collections import namedtuple"] * bool(records), *lines, *of_file * call.passes_files]


def as_python(argument: ast.expr, source: Source) -> str:
    """The value of an argument as a Python expression; numpy, torch, pandas and polars objects as
    ``array(...)``, ``tensor(...)``, ``Series(...)``, ``DataFrame(...)`` and ``from_dict(...)``."""
    match argument:
        case ast.Call(func=ast.Name("array" | "tensor" | "series" as kind), args=[of]):
            return f"{kind.replace('series', 'Series')}({as_python(of, source)})"
        case ast.List(elts=items):
            return f"[{', '.join(as_python(item, source) for item in items)}]"
        case ast.Call(func=ast.Name("polars")):
            return f"from_dict({made(argument, source).to_dict(as_series=False)!r})"
    return _as_text(made(argument, source))


def _as_text(value: Any) -> str:
    """A value as a Python expression, which is the same for equal values: sets are sorted."""
    match value:
        case set():
            return f"{{{', '.join(sorted(map(repr, value)))}}}" if value else "set()"
        case frozenset():
            return f"frozenset({_as_text(set(value))})"
        case dict():
            return f"{{{', '.join(f'{key!r}: {_as_text(held)}' for key, held in value.items())}}}"
        case list():
            return f"[{', '.join(map(_as_text, value))}]"
        case File():
            text = f"file({value.name!r}, {value.text!r})"
            return f"Path({text})" if value.as_path else text
    if not hasattr(value, "to_dict"):
        return repr(value)
    labels = value.index.tolist()
    index = "" if labels == [*range(len(labels))] else f", index={labels}"
    return f"DataFrame({value.to_dict('list')!r}{index})"


def passed(materials: Materials) -> tuple[tuple[str, ...], ...]:
    """The arguments of each call of the function for an input, as text. Two inputs for which they are equal
    cannot be distinguished by the function."""
    return tuple(
        tuple(_compared(argument, source) for source in sources for argument in materials.call.arguments)
        for sources in materials.sources
    )


def _compared(argument: ast.expr, source: Source) -> str:
    """A text that is the same for equal values of an argument. Of a frame it lists the rows, since making
    the frame takes longer."""
    rows = _name(argument) in kinds.FRAMES
    return repr(_rows_and_columns(argument, source)) if rows else as_python(argument, source)
