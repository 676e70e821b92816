"""The words of a call, such as ``gains`` in ``f(gains, k)``: each is a method that makes the value to pass
from qrels and a run. Its docstring says what is passed."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from importlib import import_module
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

import numpy as np
from msgspec import Struct

from crosscheck.backends.texts import topic_rows
from crosscheck.formats.dicts import text_encoding
from crosscheck.inputs.queries import Line, Query, in_rank_order
from crosscheck.model import Measure, Qrels, Run
from crosscheck.names import spelt
from crosscheck.rankings.changed_inputs import only_topics

if TYPE_CHECKING:
    from crosscheck.auditing.calls import Call

#: A row of a table: query, docno, rank, score and level. Rows of judgements have None as rank and score.
_Row: TypeAlias = tuple[str, str, int | None, float | None, int]

#: The cutoff for a function that requires one if the measure has none: longer than any list.
NO_CUTOFF = 20_000


def in_file(id: str) -> str:
    """An id as it is written in a file that is passed: blanks, which separate fields there, as in URLs."""
    return re.sub(r"\s", lambda blank: quote(blank[0]), id)


def topics_in_order(table: Qrels | Run) -> list[bytes]:
    """The topics of qrels or a run, in order of their first row in the input."""
    first = {topic: rows.start for topic, rows in topic_rows(table)}
    if table.lines is None:
        return list(first)
    lines = table.lines.tolist()
    return sorted(first, key=lambda topic: lines[first[topic]])


class Materials(Struct, frozen=True, eq=False, dict=True):
    """The input and the call from which arguments are built.

    Attributes:
        call: the call that passes the arguments. A copy with a different call keeps the prepared queries.
        aligned: whether queries and rows are passed in byte order of the query ids. If not, they are passed
            in input order, which may differ between qrels and run.
    """

    qrels: Qrels
    run: Run
    measure: Measure
    call: Call
    aligned: bool = False
    _prepared: dict[bool, list[OneQuery]] = {}

    @property
    def passed_name(self) -> str:
        """The name of the measure that the call passes; empty if the call passes no name."""
        return next((spelt(one, self.measure) for one in self.call.spellings), "")

    @property
    def topics(self) -> dict[str, bytes]:
        """Topic as text, and as in the files that are passed -> topic id, for every topic of qrels or run."""
        encoding = text_encoding(self.qrels, self.run)
        ids = {topic.decode(encoding): topic for topic in sorted({*self.qrels.topics, *self.run.topics})}
        return {in_file(id): topic for id, topic in ids.items()} | ids if self.call.passes_files else ids

    @property
    def sources(self) -> list[list[Source]]:
        """The sources of words for each call of the function: one call per query, or one for all queries. An
        object to which data are added gets one query first, and then all others."""
        if self.call.by_query:
            return [[Source(self, query)] for query in self.queries]
        # Numbers of queries would begin anew with each part.
        queries = self.queries if self.call.adding and "query_index" not in self.call.words else []
        if len(queries) < 2:
            return [[Source(self)]]
        first = {queries[0].topic}
        return [[Source(self._of(first)), Source(self._of({*self.topics.values()} - first))]]

    @property
    def level(self) -> int:
        """The lowest relevance level that is relevant."""
        return 1 if self.measure.rel is None else self.measure.rel

    def _of(self, topics: Collection[bytes]) -> Materials:
        """The materials of some queries."""
        of_qrels, of_run = only_topics(self.qrels, topics), only_topics(self.run, topics)
        return Materials(of_qrels, of_run, self.measure, self.call, self.aligned)

    @property
    def queries(self) -> list[OneQuery]:
        """The queries to pass: those that have both judgements and results; if there are none, all."""
        return [query for query in self.every if query.judged and query.lines] or self.every

    @property
    def every(self) -> list[OneQuery]:
        """Every query of qrels or run, in byte order."""
        ranked = self.call.in_rank_order
        if ranked not in self._prepared:
            queries, encoding = list[OneQuery](), text_encoding(self.qrels, self.run)
            for topic, query in queries_in(self.qrels, self.run, encoding).items():
                ranking = in_rank_order(query.lines, encoding) if ranked else query.lines
                judged, name = dict(query.judged), topic.decode(encoding)
                queries.append(OneQuery(topic, name, self.level, judged, query.lines, ranking))
            self._prepared[ranked] = queries
        return self._prepared[ranked]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number that stands for each docno where ids are integers: its place among all, from 0."""
        docnos = {docno for of in self.every for docno in (*of.judged, *(line.docno for line in of.lines))}
        return {docno: number for number, docno in enumerate(sorted(docnos))}

    def queries_of(self, table: Qrels | Run) -> list[OneQuery]:
        """The queries that occur in ``table`` (qrels or a run), in order of their first row in the input; if
        ``aligned``, in byte order of their ids."""
        named = {query.topic: query for query in self.every}
        topics = topics_in_order(table)
        return [named[topic] for topic in (sorted(topics) if self.aligned else topics)]

    def in_order(self, table: Qrels | Run, rows: list[_Row]) -> list[_Row]:
        """Sort rows, one for each row of ``table``, by their lines in the input; if ``aligned``, keep
        them."""
        if table.lines is None or self.aligned:
            return rows
        return [rows[i] for i in np.argsort(table.lines, kind="stable").tolist()]


def queries_in(qrels: Qrels, run: Run, encoding: str) -> dict[bytes, Query]:
    """The queries of qrels and run, by topic id in byte order.

    Raises:
        UnicodeDecodeError: a docno is not text in this encoding.
    """

    def docnos(table: Qrels | Run, rows: slice) -> list[str]:
        return [docno.decode(encoding) for docno in table.docnos[rows].tolist()]

    judged, lines = dict[bytes, tuple[tuple[str, int], ...]](), dict[bytes, tuple[Line, ...]]()
    for topic, rows in topic_rows(qrels):
        judged[topic] = tuple(zip(docnos(qrels, rows), qrels.rels[rows].tolist(), strict=True))
    for topic, rows in topic_rows(run):
        ranks = range(1, rows.stop - rows.start + 1) if run.ranks is None else run.ranks[rows].tolist()
        lines[topic] = tuple(map(Line, docnos(run, rows), ranks, run.scores[rows].tolist()))
    return {topic: Query(judged.get(topic, ()), lines.get(topic, ())) for topic in sorted({*judged, *lines})}


class AllQueries(Struct, frozen=True, eq=False):
    """The words that pass all queries. Each method makes a new object; a word for a table makes a list of
    rows."""

    materials: Materials

    def k(self) -> int:
        """the measure's cutoff"""
        cutoff = self.materials.measure.cutoff
        return NO_CUTOFF if cutoff is None else cutoff

    def measure(self) -> Measure:
        """the name of the measure, such as nDCG@5; measure('ndcg_cut_{k}') passes it in another spelling"""
        return self.materials.measure

    def max_grade(self) -> int:
        """the highest relevance level of the whole qrels"""
        return int(self.materials.qrels.rels.max(initial=0))

    def qrels(self) -> dict[str, dict[str, int]]:
        """{query: {docno: relevance level}}"""
        return {query.name: query.relevance() for query in self.materials.queries_of(self.materials.qrels)}

    def run(self) -> dict[str, dict[str, float]]:
        """{query: {docno: score}}, in input order"""
        queries = self.materials.queries_of(self.materials.run)
        return {query.name: {line.docno: line.score for line in query.lines} for query in queries}

    def results_df(self) -> list[_Row]:
        """data frame of the run: query, docid, rank, score"""
        rows = [row for query in self.materials.every for row in query.ranked_df()]
        return self.materials.in_order(self.materials.run, rows)

    def qrels_df(self) -> list[_Row]:
        """data frame of the qrels: query, docid, rel"""
        rows = [row for query in self.materials.every for row in query.judged_df()]
        return self.materials.in_order(self.materials.qrels, rows)

    def labelled_df(self) -> list[_Row]:
        """data frame of the results of judged queries: query, docid, rank, score, rel (or 0)"""
        judged = {query.name for query in self.materials.every if query.judged}
        return [row for row in self.results_df() if row[0] in judged]

    def all_y_true(self) -> list[int]:
        """relevance levels of the results of all judged queries in one list; 0 where unjudged"""
        return [max(row[4], 0) for row in self._in_one_list()]

    def all_binary(self) -> list[int]:
        """1 for each relevant result in all_y_true, else 0"""
        return [int(row[4] >= self.materials.level) for row in self._in_one_list()]

    def all_y_score(self) -> list[float]:
        """scores of the results in all_y_true, in the same order"""
        return [float(row[3] or 0) for row in self._in_one_list()]

    def query_index(self) -> list[int]:
        """number of the query of each result in all_y_true, from 0"""
        place = {query.name: place for place, query in enumerate(self.materials.queries)}
        return [place[row[0]] for row in self._in_one_list()]

    def group_sizes(self) -> list[int]:
        """number of results of each query; the queries follow one another in all_y_true"""
        return [len(query.lines) for query in self.materials.queries]

    def _in_one_list(self) -> list[_Row]:
        """The results of judged queries; query after query if the call passes the sizes of the groups."""
        if "group_sizes" in self.materials.call.words:
            return [row for query in self.materials.queries for row in query.ranked_df()]
        names = {query.name for query in self.materials.queries}
        return [row for row in self.results_df() if row[0] in names]

    def results_rows(self) -> list[_Row]:
        """list of the results, as named tuples (or dicts, with a rank as well): query, docid, score"""
        return self.results_df()

    #: list of the judgements, as named tuples
    qrels_rows = qrels_df


class OneQuery(Struct, frozen=True, eq=False):
    """The words that pass the data of one query. Each method makes a new object; a word for a table makes a
    list of rows.

    Attributes:
        topic: id of the query; name: the same id as text.
        level: the lowest relevance level that is relevant.
        judged: docno -> level; lines: the results in input order.
        ranking: the results in trec_eval 9's order; in input order if the call passes
            scores in any other form than as pairs.
    """

    topic: bytes
    name: str
    level: int
    judged: dict[str, int]
    lines: tuple[Line, ...]
    ranking: Sequence[Line]

    def gains(self) -> list[int]:
        """relevance levels of the retrieved documents, in rank order; 0 where unjudged or negative"""
        return [max(self.judged.get(line.docno, 0), 0) for line in self.ranking]

    def binary(self) -> list[int]:
        """1 for each retrieved document that is relevant, else 0, in rank order"""
        return [int(gain >= self.level) for gain in self.gains()]

    def judged_gains(self) -> list[int]:
        """relevance levels of all judged documents, in the order of the qrels; 0 where negative"""
        return [max(level, 0) for level in self.judged.values()]

    def ideal_gains(self) -> list[int]:
        """relevance levels of all judged documents, highest first; 0 where negative"""
        return sorted(self.judged_gains(), reverse=True)

    def ranked_ids(self) -> list[str]:
        """docnos of the retrieved documents, in rank order"""
        return [line.docno for line in self.ranking]

    def relevant_ids(self) -> list[str]:
        """docnos of the relevant documents"""
        return [docno for docno, level in self.judged.items() if level >= self.level]

    def relevant_id(self) -> str | None:
        """docno of the relevant document, of which every query then has one at most; None without one"""
        return next(iter(self.relevant_ids()), None)

    def nonrelevant_ids(self) -> list[str]:
        """docnos of the judged nonrelevant documents, without those of a negative level"""
        return [docno for docno, level in self.judged.items() if 0 <= level < self.level]

    def relevance(self) -> dict[str, int]:
        """{docno: relevance level} of the judged documents"""
        return dict(self.judged)

    def scored(self) -> dict[str, float]:
        """{docno: score} of the retrieved documents, in input order"""
        return {line.docno: line.score for line in self.ranking}

    def scores(self) -> list[float]:
        """scores of the retrieved documents, in input order; all other lists are then in input order too"""
        return [line.score for line in self.ranking]

    def ranks(self) -> list[int]:
        """ranks of the relevant documents that were retrieved, from 1"""
        return [rank for rank, relevant in enumerate(self.binary(), 1) if relevant]

    def rank(self) -> float:
        """rank of the relevant document, of which every query then has one at most; infinite without one"""
        return min(self.ranks(), default=math.inf)

    def num_rel(self) -> int:
        """number of relevant documents"""
        return len(self.relevant_ids())

    def num_ret(self) -> int:
        """number of retrieved documents"""
        return len(self.ranking)

    def mask(self) -> list[bool]:
        """True for each retrieved document, in rank order: no place is padding"""
        return [True] * len(self.ranking)

    def query(self) -> str:
        """the id of the query; the function is then called once per query, but for each(query)"""
        return self.name

    #: the same lists, of a call that passes scores and so is in input order
    y_true, y_score = gains, scores

    def ranked_df(self) -> list[_Row]:
        """data frame of the results of the query: docid, rank, score"""
        return [(self.name, x.docno, x.rank, x.score, self.judged.get(x.docno, 0)) for x in self.lines]

    def judged_df(self) -> list[_Row]:
        """data frame of the judgements of the query: docid, rel"""
        return [(self.name, docno, None, None, level) for docno, level in self.judged.items()]

    def ranked_rows(self) -> list[_Row]:
        """list of the results of the query, as named tuples (or dicts with a rank), in order: docid, score"""
        ranked = zip(count(1), self.ranking, self.gains(), strict=False)
        return [(self.name, line.docno, rank, line.score, gain) for rank, line, gain in ranked]

    #: list of the judgements of the query, as named tuples
    judged_rows = judged_df

    def labelled_rows(self) -> list[_Row]:
        """list of the results with levels, as named tuples, in rank order: docid, score, rel (or 0)"""
        return self.ranked_rows()


class Source(Struct, frozen=True, eq=False):
    """The words of one call of a function: the words for all queries and, in a call for a single query, the
    words for this query (``query``)."""

    materials: Materials
    query: OneQuery | None = None

    def word(self, name: str) -> Any:
        """The value of the word with this name; a new object each time."""
        return getattr(AllQueries(self.materials) if name in _ALL else self.query, name)()


def _documented(source: type) -> dict[str, str]:
    """Method -> docstring, for the methods of a class."""
    public = ((name, held) for name, held in vars(source).items() if name[0] != "_")
    return {name: inspect.getdoc(held) or "" for name, held in public if inspect.isfunction(held)}


_ALL = _documented(AllQueries)
#: Word -> its docstring, or that of the method that also makes it, for every word that a call may contain.
WORDS = _documented(OneQuery) | _ALL
#: Every column of a table, in their order.
EVERY_COLUMN = ("query", "iter", "docid", "rank", "score", "rel")
#: Word for a table -> the columns of the table.
COLUMNS = {
    word: tuple(filter(re.findall(r"\w+", doc.split(": ")[1]).__contains__, EVERY_COLUMN))
    for word, doc in WORDS.items()
    if word.endswith(("_df", "_rows"))
}
#: Word for a list of tuples -> the further column that a call may name, as in results_rows(rank='rank').
FURTHER = {"results_rows": ("rank",), "ranked_rows": ("rank",), "qrels_rows": ("iter",)}
#: Word for a table -> all columns that a call may name.
NAMEABLE = {word: (*columns, *FURTHER.get(word, ())) for word, columns in COLUMNS.items()}
FRAMES = frozenset(word for word in COLUMNS if word.endswith("_df"))
ROWS = COLUMNS.keys() - FRAMES
#: Words for tables that join the results with their levels, so that the metric itself matches no ids.
LABELLED = frozenset({"labelled_df", "labelled_rows"})
#: Words for a single number or text. OF_ANY_INPUT: single values that are the same for one and for all
#: queries.
SINGLE_VALUES = frozenset({"k", "measure", "max_grade", "num_rel", "num_ret", "query"})
OF_ANY_INPUT = SINGLE_VALUES & _ALL.keys()
OF_ALL_QUERIES = _ALL.keys() - OF_ANY_INPUT
#: Words for the results of all queries in one list, without ids.
IN_ONE_LIST = frozenset({"all_y_true", "all_binary", "all_y_score", "query_index", "group_sizes"})
#: Words that pass negative levels. Words that pass levels, or docnos by level, in which a negative level
#: is 0.
WITH_NEGATIVES = {"relevance", "qrels", "qrels_df", "qrels_rows", "judged_df", "judged_rows", "labelled_df"}
WITHOUT_NEGATIVES = {
    *("gains", "y_true", "all_y_true", "judged_gains", "ideal_gains", "labelled_rows", "nonrelevant_ids")
}
#: Words that pass scores of one query, or of all queries in one list.
WITH_SCORES = {"scores", "y_score", "scored", "ranked_df", "ranked_rows", "labelled_rows", "all_y_score"}
#: Words for the judgements of one query, which have a value even if the query has no results.
OF_JUDGEMENTS = {"relevant_ids", "relevant_id", "nonrelevant_ids", "relevance", "ideal_gains", "num_rel"}
OF_JUDGEMENTS |= {word for word in WORDS if word.startswith("judged_")}
#: Word -> its subject. Words that pass the same data in different containers have the same subject.
SUBJECTS = {
    **dict.fromkeys(("gains", "binary", "y_true"), "levels"),
    **dict.fromkeys(("ranked_ids", "scored", "run"), "ranking"),
    **dict.fromkeys(("relevant_ids", "relevant_id", "relevance", "qrels"), "judgements"),
    "rank": "ranks",
}


#: Conversions that make a file and pass its path.
FILES = ("file", "path", "tsv")


def _of_package(package: str, name: str) -> Callable[[Any], Any]:
    return lambda value: getattr(import_module(package), name)(value)


#: Conversion that a call may contain around an argument -> its function: ``array`` makes a numpy array,
#: ``tensor`` a torch tensor, ``series`` a pandas series, ``items`` a list of the (key, value) pairs of a
#: dict, in rank order for ``scored``, and ``flat`` {(query, docno): value} of {query: {docno: value}}.
#: :func:`~crosscheck.auditing.calls.made` itself computes the others: ``each``, a list with the value of each
#: query that has judgements and results; ``by_query``, {query: value}; ``dicts``, a list of dicts instead of
#: named tuples; ``polars``, a data frame of polars; and of named tuples the path of a file in trec_eval's
#: form (``file``; ``path`` as a pathlib.Path) or in that of MS MARCO (``tsv``: tabs, and results of query,
#: docno and rank); and ``ints`` the numbers that stand for docnos, in a list, or as keys of a dict;
#: ``unordered`` leaves pairs, rows or dicts with scores in input order, for functions that sort them. Of a
#: dict in the call, ``record`` makes an object with its keys as attributes; ``frame`` makes a data frame of a
#: list of dicts.
CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "list": list,
    "tuple": tuple,
    "unordered": list,
    "set": set,
    "frozenset": frozenset,
    "array": _of_package("numpy", "array"),
    "tensor": _of_package("torch", "tensor"),
    "series": _of_package("pandas", "Series"),
    "frame": _of_package("pandas", "DataFrame"),
    "record": lambda of: SimpleNamespace(**of),
    "items": lambda of: list(of.items()),
    "flat": lambda of: {(query, docno): v for query, held in of.items() for docno, v in held.items()},
    **dict.fromkeys(("each", "by_query", "dicts", "ints", "polars", *FILES), list),  # not called
}
#: Word or conversion -> the package that makes its value, if the package is slow to import.
SLOW_PACKAGES = {"tensor": "torch", "polars": "polars"}
SLOW_PACKAGES |= dict.fromkeys(("series", "frame", *FRAMES), "pandas")
