"""Calls of a metric: parsed from text and never evaluated, or inferred from parameter names.

"f(gains, k)"   "f(ranked_ids, set(relevant_ids), k)"   "f([y_true], [y_score], k=k)"   "f(qrels, run)"
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias

from crosscheck.axes import axes
from crosscheck.axes.base import Handed
from crosscheck.errors import UsageError, did_you_mean

__all__ = ["WORDS", "Argument", "Call", "Collection", "Constant", "Word", "infer", "parse_call"]

#: Every word that a call may use, with its value.
WORDS = {
    "gains": "relevance levels of the retrieved documents, in rank order; 0 where unjudged",
    "binary": "1 for each retrieved document that is relevant, else 0, in rank order",
    "ranked_ids": "docnos of the retrieved documents, in rank order",
    "relevant_ids": "docnos of the relevant documents",
    "relevance": "{docno: relevance level} of the judged documents",
    "scores": "scores of the retrieved documents, in input order, as are then all other lists",
    "ranks": "ranks of the relevant documents that were retrieved, from 1",
    "num_rel": "number of relevant documents",
    "k": "the measure's cutoff",
    "qrels": "{query: {docno: relevance level}}",
    "run": "{query: {docno: score}}, in input order",
    "y_true": "relevance levels of the retrieved documents, in input order; 0 where unjudged",
    "y_score": "scores of the same documents",
    "results_df": "data frame of the run: query, docid, rank, score",
    "qrels_df": "data frame of the qrels: query, docid, rel",
    "max_grade": "the highest relevance level of the whole qrels",
}
_TABLES = frozenset({"qrels", "run", "results_df", "qrels_df"})
_SCORES = frozenset({"scores", "y_score"})


@dataclass(frozen=True, slots=True)
class Word:
    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Collection:
    kind: Literal["list", "tuple", "set"]
    items: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Converted:
    """``set(word)``, ``list(word)`` or ``tuple(word)``."""

    kind: Literal["list", "tuple", "set"]
    of: Argument


Argument: TypeAlias = "Word | Constant | Collection | Converted"
_KINDS: dict[str, Literal["list", "tuple", "set"]] = {"list": "list", "tuple": "tuple", "set": "set"}


@dataclass(frozen=True, slots=True)
class Call:
    """A call: its arguments in order, then those by name."""

    positional: tuple[Argument, ...]
    keywords: tuple[tuple[str, Argument], ...] = ()

    def __str__(self) -> str:
        named = [f"{name}={_text(value)}" for name, value in self.keywords]
        return f"f({', '.join([*map(_text, self.positional), *named])})"

    @property
    def words(self) -> frozenset[str]:
        arguments = [*self.positional, *(value for _, value in self.keywords)]
        return frozenset(word for argument in arguments for word in _words(argument))

    @property
    def by_query(self) -> bool:
        """Whether it is called once per query (and not once with all queries)."""
        return not self.words & _TABLES

    @property
    def in_rank_order(self) -> bool:
        """Whether lists of documents are passed in rank order (and not in the order of the run)."""
        return not self.words & _SCORES

    @property
    def settled(self) -> frozenset[str]:
        """The axes fixed by the arguments, so that the metric has no choice."""
        return frozenset(axis.name for axis in axes().values() if axis.settled_by & self._handed)

    @property
    def _handed(self) -> Handed:
        if not self.by_query:
            return Handed.DICT if "run" in self.words else Handed.NOTHING
        found = Handed.ONE_QUERY
        if self.in_rank_order:
            found |= Handed.RANK_ORDER
        if "ranked_ids" not in self.words or not self.words & {"relevant_ids", "relevance"}:
            found |= Handed.LEVELS
        return found


def _words(argument: Argument) -> Iterator[str]:
    match argument:
        case Word(name):
            yield name
        case Collection(_, items):
            for item in items:
                yield from _words(item)
        case Converted(_, of):
            yield from _words(of)


def _text(argument: Argument) -> str:
    match argument:
        case Word(name):
            return name
        case Constant(value):
            return repr(value)
        case Converted(kind, of):
            return f"{kind}({_text(of)})"
        case Collection(kind, items):
            inside = ", ".join(map(_text, items))
            if kind == "tuple" and len(items) == 1:
                inside += ","
            return {"list": "[%s]", "tuple": "(%s)", "set": "{%s}"}[kind] % inside


def parse_call(text: str) -> Call:
    """The call described by a text such as ``"f(gains, k=k)"``. Nothing in it is evaluated.

    Arguments are the words of :data:`WORDS`, constants, lists, tuples and sets of those, and
    ``set(word)``, ``list(word)`` or ``tuple(word)``.

    Raises:
        UsageError: anything else, and a mixture of words for one query and words for all of them.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _wrong(f"the call {text!r} is not a Python call") from None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        raise _wrong(f"the call {text!r} is not a Python call")
    if any(keyword.arg is None for keyword in node.keywords):
        raise _wrong("a call cannot hold **")
    call = Call(
        tuple(_argument(a) for a in node.args),
        tuple((str(keyword.arg), _argument(keyword.value)) for keyword in node.keywords),
    )
    tables = call.words & _TABLES
    if tables and call.words - _TABLES - {"k", "max_grade"}:
        others = ", ".join(sorted(call.words - _TABLES - {"k", "max_grade"}))
        raise _wrong(f"the call mixes all queries ({', '.join(sorted(tables))}) with one query ({others})")
    if not call.words - {"k", "max_grade", "num_rel"}:
        raise _wrong(f"the call {text!r} passes no ranking")
    return call


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
        case ast.List(elts=items):
            return Collection("list", tuple(map(_argument, items)))
        case ast.Tuple(elts=items):
            return Collection("tuple", tuple(map(_argument, items)))
        case ast.Set(elts=items):
            return Collection("set", tuple(map(_argument, items)))
        case ast.Call(func=ast.Name(id=kind), args=[inner], keywords=[]) if kind in _KINDS:
            return Converted(_KINDS[kind], _argument(inner))
        case _:
            raise _wrong(f"a call cannot hold {ast.unparse(node)!r}: it is parsed, not evaluated")


def _wrong(message: str) -> UsageError:
    return UsageError(message, hint=f'write --call "f(WORD, ...)" with the words {", ".join(WORDS)}')


#: Parameter names in lower case, with the words that they may mean, likeliest first.
_MEANINGS: dict[str, tuple[str, ...]] = {}
for _words_meant, _names in (
    (("gains",), "gains gain rels rel relevances relevance_scores relevance_list grades r scores_in_order"),
    (("relevance", "gains"), "relevance relevances_dict judged judgments judgements rel_dict grades_by_doc"),
    (("binary",), "binary hits is_relevant relevance_vector rel_binary"),
    (
        ("ranked_ids",),
        (
            "ranked_ids ranked ranking retrieved retrieved_ids predicted predictions preds pred recommended "
            "recommendations docs doc_ids docids documents retrieved_docs retrieved_documents ranked_list "
            "ranked_docs topk_docs"
        ),
    ),
    (
        ("relevant_ids",),
        (
            "relevant_ids expected relevant relevant_docs relevant_documents ground_truth gold actual "
            "targets target truth relevant_set expected_ids gold_ids positives"
        ),
    ),
    (("scores",), "scores"),
    (("y_true",), "y_true"),
    (("y_score",), "y_score y_scores y_pred"),
    (("ranks",), "ranks positions relevant_ranks"),
    (
        ("num_rel",),
        (
            "num_rel total_relevant n_rel n_relevant num_relevant total_rel relevant_count num_positives "
            "n_pos number_relevant"
        ),
    ),
    (("k",), "k cutoff cut_off top_k topk at_k at n depth"),
    (("qrels", "qrels_df", "relevance"), "qrels qrel"),
    (("run", "results_df"), "run runs results result"),
    (("results_df",), "results_df run_df df_run df_results"),
    (("qrels_df",), "qrels_df df_qrels"),
    (("max_grade",), "max_grade highest max_rel max_relevance max_gain max_level"),
):
    for _name in _names.split():
        _MEANINGS.setdefault(_name, _words_meant)

_PLAIN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_OPTIONAL = frozenset({"k"})  # passed even if the parameter has a default
_MAY_BE_ONE_ROW = frozenset({"y_true", "y_score"})


def infer(function: Callable[..., Any], *, has_cutoff: bool) -> list[Call]:
    """Calls suggested by the names of a function's parameters, likeliest first; empty if there are none.

    Parameters with a default are not passed, except the cutoff if the measure has one.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # written in C without a signature
        return []
    choices: list[list[tuple[inspect.Parameter, str]]] = []
    for parameter in parameters:
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        meant = _MEANINGS.get(parameter.name.lower(), ())
        if parameter.default is not inspect.Parameter.empty:
            if not (has_cutoff and set(meant) & _OPTIONAL):
                continue
        elif not meant:
            return []
        choices.append([(parameter, word) for word in meant])
    calls: list[Call] = []
    for chosen in product(*choices):
        calls += _as_calls(chosen)
    return [call for call in calls if _makes_sense(call)]


def _as_calls(chosen: Sequence[tuple[inspect.Parameter, str]]) -> list[Call]:
    shapes = (False, True) if {word for _, word in chosen} >= _MAY_BE_ONE_ROW else (False,)
    made: list[Call] = []
    for one_row in reversed(shapes):
        positional: list[Argument] = []
        keywords: list[tuple[str, Argument]] = []
        for parameter, word in chosen:
            argument: Argument = Word(word)
            if one_row and word in _MAY_BE_ONE_ROW:
                argument = Collection("list", (argument,))
            required = parameter.default is inspect.Parameter.empty
            if required and parameter.kind in _PLAIN and not keywords:
                positional.append(argument)
            else:
                keywords.append((parameter.name, argument))
        made.append(Call(tuple(positional), tuple(keywords)))
    return made


def _makes_sense(call: Call) -> bool:
    """Whether a call is for one query or for all, and passes both qrels and run if it is for all."""
    tables = call.words & _TABLES
    if tables:
        pairs = ({"qrels", "run"}, {"qrels_df", "results_df"})
        return tables in pairs and not call.words - _TABLES - {"k", "max_grade"}
    return bool(call.words - {"k", "max_grade", "num_rel", "relevant_ids", "relevance"})
