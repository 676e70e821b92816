"""Kinds of change to the reference, such as "the cutoff was k-1", and the addition of inputs until a metric
with any of these faults would be noticed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.auditing.calls import Call, row_labels
from crosscheck.auditing.metric import Asked, Asking
from crosscheck.auditing.words import COLUMNS, topics_in_order
from crosscheck.axes.forms import MAX_GRADE
from crosscheck.axes.gains import GAIN, IDEAL, Gain
from crosscheck.compare import equal
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import SINGLE
from crosscheck.inputs.queries import Probe, Query, in_rank_order, to_qrels, to_run
from crosscheck.inputs.realistic import crowd, extreme_probes, fresh_probes
from crosscheck.measures import family
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure, Qrels, Run
from crosscheck.rankings.changed_inputs import only_rows, only_topics
from crosscheck.rankings.pairing import JudgedPool, Memo, Pairing
from crosscheck.rankings.sorts import single


class Batch:
    """Several inputs joined in one run and qrels, to recompute a measure on all of them at once.

    Attributes:
        probe_of: for each query, the index of its input.
        before: value of each query under the reference's conventions; NaN for no value.
    """

    def __init__(self, probes: Sequence[Probe], measure: Measure, base: Conventions) -> None:
        self.probes, self.measure, self.base = probes, measure, base
        self.queries = [query for probe in probes for _, query in probe.queries]
        numbered = _numbered(dict(enumerate(self.queries)))
        self.run, self.qrels = to_run(numbered), to_qrels(numbered)
        self.rankings = Rankings(self.run, self.qrels)
        self.probe_of = np.repeat(np.arange(len(probes)), [len(probe.queries) for probe in probes])
        self.before = self.values(self.rankings)

    def values(
        self, rankings: Rankings, measure: Measure | None = None, conventions: Conventions | None = None
    ) -> FloatArray:
        """The value of each query; NaN for no value."""
        recomputer = Recomputer(rankings, measure or self.measure, self.base)
        scores = recomputer.evaluated(conventions or self.base)
        values = np.full(len(self.queries), np.nan)
        places = [int(topic) for topic in rankings.pairing.all_topics]
        values[places] = np.where(scores.present, scores.values, np.nan)
        return values

    @cached_property
    def docnos(self) -> list[frozenset[str]]:
        """For each query, the docnos that are judged or retrieved."""
        return [frozenset(chain(dict(query.judged), query.docnos)) for query in self.queries]

    @cached_property
    def odd_docnos(self) -> list[str]:
        """The docnos that a form of :data:`FORMS` may change."""
        return odd(frozenset[str]().union(*self.docnos))

    @cached_property
    def ranks(self) -> IntArray:
        """Rank of each line of the run: by score in single precision, then by docno, both descending."""
        topic = self.run.topic_numbers
        order = np.lexsort((self.run.docnos, single(self.run.scores), -topic))[::-1]
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order)) - self.run.offsets[:-1][topic[order]] + 1
        return ranks

    @cached_property
    def missed(self) -> IntArray:
        """For each row of the qrels, the place, from 1, of its document among the relevant documents of the
        query that were not retrieved; 0 for other documents."""
        numbers: list[int] = []
        for query in self.queries:
            retrieved = set(query.docnos)
            missed = [level > 0 and docno not in retrieved for docno, level in query.judged]
            numbers += [n * is_missed for n, is_missed in zip(accumulate(missed), missed, strict=True)]
        return np.array(numbers, np.int64)

    @cached_property
    def _judgements(self) -> IntArray:
        """For each judged row of the run, the row of the document in the qrels."""
        return Pairing.of(self.run, replace(self.qrels, rels=np.arange(len(self.qrels.rels)))).rels

    def _joined(self, **changed: Any) -> FloatArray:
        """The value of each query with these changes to the join of run and qrels."""
        return self.values(Rankings.of(replace(self.rankings.pairing, kept=Memo(), **changed)))

    def of_scores(self, scores: FloatArray) -> FloatArray:
        """The value of each query with these scores of the lines of the run."""
        return self._joined(run=replace(self.run, scores=scores))

    def of_lines(self, keep: BoolArray) -> FloatArray:
        """The value of each query if only the lines of the run under the mask ``keep`` are read."""
        if keep.all():
            return self.before
        run, pairing = only_rows(self.run, keep), self.rankings.pairing
        sizes = np.diff(run.offsets).tolist()
        if not all(sizes):  # queries without lines are not in a run
            some = {topic for topic, size in zip(run.topics, sizes, strict=True) if size}
            return self.values(Rankings(only_topics(run, some), pairing.pool))
        left = keep[pairing.rows]
        rows = (np.cumsum(keep) - 1)[pairing.rows[left]]
        return self._joined(run=run, rows=rows, rels=pairing.rels[left], topic=pairing.topic[left])

    def of_levels(self, rels: IntArray) -> FloatArray:
        """The value of each query with these relevance levels."""
        if np.array_equal(rels, self.qrels.rels):
            return self.before
        return self._joined(pool=JudgedPool(replace(self.qrels, rels=rels)), rels=rels[self._judgements])

    def of_queries(self, changed: dict[int, Query]) -> FloatArray:
        """The value of each query with these queries in place of those of the same index."""
        if not changed:
            return self.before
        numbered, places, values = _numbered(changed), [*changed], self.before.copy()
        values[places] = self.values(Rankings(to_run(numbered), to_qrels(numbered)))[places]
        return values

    def changed(
        self, change: Change, *, tolerance: float = SINGLE, decimals: int | None = None, means: bool = False
    ) -> IntArray:
        """For each input, the number of values that a change alters; with ``means``, whether it alters the
        mean.

        Args:
            tolerance, decimals: for the comparison of values.
            means: whether the metric gives only means.
        """
        before, after = (self._under(of, means=means) for of in (lambda inputs: inputs.before, change))
        if before is None or after is None:
            return np.zeros(len(self.probes), np.int64)
        scale = np.maximum(1.0, np.abs(np.nan_to_num(before)))
        different = ~equal(before, after, tolerance * scale, decimals)
        return np.asarray(different if means else self._per_probe(different), np.int64)

    def gives(
        self, seen: FloatArray, tolerance: float, decimals: int | None, change: Change, *, means: bool
    ) -> BoolArray:
        """Mask of the values that a change gives: of each query; with ``means``, of each input. NaN, for no
        value, counts as given."""
        if (values := self._under(change, means=means)) is None:
            return np.zeros(len(seen), np.bool_)
        scale = np.maximum(1.0, np.abs(np.nan_to_num(seen)))
        return np.isnan(seen) | equal(values, seen, tolerance * scale, decimals)

    def _under(self, change: Change, *, means: bool) -> FloatArray | None:
        """The values under a change, or with ``means`` those of inputs; None if the measure cannot be
        computed on the changed inputs."""
        try:
            with np.errstate(all="ignore"):  # 2^level may be infinite
                values = change(self)
        except CrosscheckError:
            return None
        return self._means(values) if means else values

    def _per_probe(self, of_queries: FloatArray | BoolArray) -> FloatArray:
        """The sum over the queries of each input."""
        return np.bincount(self.probe_of, of_queries, len(self.probes)).astype(np.float64)

    def _means(self, values: FloatArray) -> FloatArray:
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            return self._per_probe(np.where(known, values, 0.0)) / self._per_probe(known)


#: Function from some inputs to the value of each query under a change.
Change: TypeAlias = Callable[[Batch], FloatArray]


def _numbered(queries: dict[int, Query]) -> dict[str, Query]:
    return {f"{number:06}": query for number, query in queries.items()}


#: Number of values that a kind of change must alter, so that the inputs are sure to show it.
ENOUGH = 3
#: Numbers of documents at which the inputs, sorted by size, are divided in batches. Small inputs are
#: recomputed first, because they show most kinds.
_TOGETHER = (1_000, 5_000, 20_000)


def _tables(column: str) -> set[str]:
    """The words of a call for tables that contain this column."""
    return {word for word, columns in COLUMNS.items() if column in columns}


#: The words of a call that pass levels with their signs.
_SIGNED = {"relevance", "qrels", *_tables("rel")}
#: Part of the input -> the words of a call that pass it to a metric; ``signs`` are those of levels. Further
#: parts: several ``queries`` in one call, ``topics`` (ids of queries), and queries of qrels and run in
#: different ``order``.
_HANDED = {
    "levels": _SIGNED | {"gains", "judged_gains", "ideal_gains", "y_true", "all_y_true"},
    "signs": _SIGNED,
    "scores": {"scores", "y_score", "all_y_score", "scored", "run", *_tables("score")},
    "rows": {"results_df", "labelled_df", "results_rows", "query_index"},  # of several queries, mixed
    "labels": {"results_df"},  # an index of these rows
    "judged-rows": {"qrels_df", "qrels_rows"},
    "docnos": {"ranked_ids", "relevant_ids", "relevant_id", "relevance", "scored", "run", *_tables("score")},
}


class Kind(NamedTuple):
    """A fault that a metric may have, simulated as a change to the reference, to see which inputs reveal it.

    Attributes:
        name: the fault in words that complete "it would show if".
        needs: the parts of the input that a metric must receive to have this fault.
        change: function that computes the values with this fault.
    """

    name: str
    needs: frozenset[str]
    change: Change


def _cutoff(change: Callable[[int], int]) -> Change:
    def changed(inputs: Batch) -> FloatArray:
        k = inputs.measure.cutoff
        other = k if k is None else max(change(k), 1)
        measure = replace(inputs.measure, cutoff=other)
        return inputs.before if other == k else inputs.values(inputs.rankings, measure)

    return changed


def _levels(change: Callable[[IntArray], IntArray]) -> Change:
    return lambda inputs: inputs.of_levels(change(inputs.qrels.rels))


def _missed(most: int) -> Change:
    return lambda inputs: inputs.of_levels(np.where(inputs.missed > most, 0, inputs.qrels.rels))


def _scores_of(change: Change) -> Change:
    return lambda inputs: inputs.of_scores(change(inputs))


def _scores(change: Callable[[FloatArray], FloatArray]) -> Change:
    return _scores_of(lambda inputs: change(inputs.run.scores))


def _normalised(form: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]) -> Change:
    """A change after which the scores of each query are ``form(scores)``, in single precision."""

    def changed(inputs: Batch) -> FloatArray:
        of_queries = np.split(single(inputs.run.scores), inputs.run.offsets[1:-1])
        return np.asarray(np.nan_to_num(np.concatenate([*map(form, of_queries)])), np.float64)

    return _scores_of(changed)


def _rounded(decimals: int) -> Change:
    def by_python(scores: FloatArray) -> FloatArray:  # numpy multiplies first, which rounds otherwise
        return np.array(
            [round(score, decimals) if np.isfinite(score) else score for score in scores.tolist()]
        )

    return _scores(by_python)


def _significant(digits: int) -> Change:
    return _scores(lambda scores: np.array([float(f"{score:.{digits}g}") for score in scores.tolist()]))


def _lines(keep: Callable[[Batch], BoolArray]) -> Change:
    return lambda inputs: inputs.of_lines(keep(inputs))


def _ended_at(depth: int) -> Change:
    return _lines(lambda inputs: inputs.ranks <= depth)


def _under(**changes: str) -> Change:
    return lambda inputs: inputs.values(inputs.rankings, conventions=inputs.base.with_changes(**changes))


def _in_long(least: int, change: Change) -> Change:
    """A change that affects only queries with at least ``least`` results."""

    def changed(inputs: Batch) -> FloatArray:
        long = np.array([len(query.lines) >= least for query in inputs.queries])
        return np.where(long, change(inputs), inputs.before) if long.any() else inputs.before

    return changed


def _among(change: Callable[[Probe, FloatArray], FloatArray]) -> Change:
    """A change that computes the values of an input from its unchanged values, as ``change(input,
    values)``."""

    def changed(inputs: Batch) -> FloatArray:
        values = np.split(inputs.before, np.cumsum(np.bincount(inputs.probe_of))[:-1])
        return np.concatenate([change(probe, of) for probe, of in zip(inputs.probes, values, strict=True)])

    return changed


def _only_first(count: int) -> Change:
    return _among(lambda probe, values: np.where(np.arange(len(values)) < count, values, np.nan))


def _as_last(form: Callable[[str], str]) -> Change:
    """A change after which queries whose ids have the same form all have the value of the last of them."""

    def merged(probe: Probe, values: FloatArray) -> FloatArray:
        last = {form(id): number for number, (id, _) in enumerate(probe.queries)}
        return values[[last[form(id)] for id, _ in probe.queries]]

    return _among(merged)


def _misplaced(probe: Probe, values: FloatArray) -> FloatArray:
    """Values misassigned: computed in the order of the qrels, then assigned to the ids in the order of the
    run."""
    if len(values) == 1:
        return values
    place = {id.encode(): number for number, (id, _) in enumerate(probe.queries)}
    run, qrels, moved = topics_in_order(probe.run), topics_in_order(probe.qrels), values.copy()
    both = [topic for topic in run if topic in qrels]
    moved[[place[topic] for topic in both]] = values[[place[topic] for topic in qrels if topic in both]]
    return moved


def _of_rows(
    inputs: Batch, of_rows: Callable[[Any], npt.NDArray[Any]], table: Literal["run", "qrels"] = "run"
) -> npt.NDArray[Any]:
    """The results of ``of_rows``, which gives one value per row of a run or qrels, for all inputs, in the
    order of the rows of ``inputs``."""
    columns: list[npt.NDArray[Any]] = []
    for probe in inputs.probes:
        rows = getattr(probe, table)
        of_query = dict(zip(rows.topics, np.split(of_rows(rows), rows.offsets[1:-1]), strict=True))
        columns += [of_query[id.encode()] for id, _ in probe.queries if id.encode() in of_query]
    return np.concatenate(columns)


def _among_first(most: int, rows: Run | Qrels) -> BoolArray:
    """Mask of the first ``most`` rows of a run or qrels in the order of the input."""
    return np.arange(len(rows.docnos)) < most if rows.lines is None else rows.lines < most


def _judged_rows(read: Callable[[Any], npt.NDArray[Any]]) -> Change:
    return lambda inputs: inputs.of_levels(np.where(_of_rows(inputs, read, "qrels"), inputs.qrels.rels, 0))


def _stand_together(run: Run) -> BoolArray:
    """Mask of the rows in the first contiguous block of rows of each query."""
    topic = run.topic_numbers[np.argsort(run.lines)]
    together = np.cumsum(np.diff(topic, prepend=-1) != 0)
    first = together[np.unique(topic, return_index=True)[1]]
    return np.asarray((together == first[topic])[run.lines])


def _by_labels(run: Run) -> FloatArray:
    """Scores misassigned as by a bug in code with pandas: taken in row order, then assigned by index labels,
    which are in a different order."""
    return run.scores[np.argsort(run.lines)][row_labels(len(run.lines))][run.lines]


def _shared(inputs: Batch) -> FloatArray:
    """The value of each query if every query has the judgements of all queries of its input; of several
    judgements of a document, the last."""
    every: list[Query] = []
    for probe in inputs.probes:
        judged = tuple({docno: level for _, query in probe.queries for docno, level in query.judged}.items())
        every += [replace(query, judged=judged) for _, query in probe.queries]
    return inputs.of_queries(dict(enumerate(every)))


def _joined(sign: str, *, docno_first: bool = False) -> Change:
    """A change after which documents are judged by query id and docno, joined by a sign."""

    def key(id: str, docno: str) -> str:
        return docno + sign + id if docno_first else id + sign + docno

    def changed(inputs: Batch) -> FloatArray:
        number, queries = 0, dict[int, Query]()
        for probe in inputs.probes:
            levels = {key(id, docno): level for id, of in probe.queries for docno, level in of.judged}
            for id, query in probe.queries:
                every = dict.fromkeys((*dict(query.judged), *query.docnos))
                judged = {docno: levels[key(id, docno)] for docno in every if key(id, docno) in levels}
                if judged != dict(query.judged):
                    queries[number] = replace(query, judged=tuple(judged.items()))
                number += 1
        return inputs.of_queries(queries)

    return changed


def _first_judgements(inputs: Batch) -> FloatArray:
    long = ((n, query) for n, query in enumerate(inputs.queries) if len(query.judged) > 100)
    return inputs.of_queries({n: replace(query, judged=query.judged[:100]) for n, query in long})


def _docnos(
    form: Callable[[str], str], *, kept: Literal["last", "best", "each"] = "last", highest: bool = False
) -> Change:
    """Docnos are read in a form.

    Args:
        kept: the results that are kept of several with one form: the last of the input, that with the best
            rank, or each, which has the level of the form.
        highest: whether the highest of several levels with one form counts, instead of the last.
    """

    def changed(inputs: Batch) -> FloatArray:
        new_of = {name: new for name in inputs.odd_docnos if (new := form(name)) != name}

        def read(name: str) -> str:
            return new_of.get(name, name) or " "

        def renamed(query: Query) -> Query:
            judged = sorted(query.judged, key=itemgetter(1)) if highest else query.judged
            levels = {read(name): level for name, level in judged}
            if kept == "each":
                found = [(name, levels[read(name)]) for name in query.docnos if read(name) in levels]
                missed = [of for of in levels.items() if of[0] not in set(map(read, query.docnos))]
                return replace(query, judged=(*found, *missed))
            lines = query.lines if kept == "last" else in_rank_order(query.lines)[::-1]
            last = {read(line.docno): replace(line, docno=read(line.docno)) for line in lines}
            return Query(tuple(levels.items()), tuple(last.values()))

        affected = (n for n, names in enumerate(inputs.docnos) if not new_of.keys().isdisjoint(names))
        return inputs.of_queries({n: renamed(inputs.queries[n]) for n in affected})

    return changed


#: Order of tied documents in words -> value of the axis ``ties``.
_TIES = {
    "by docno, descending": "docid-desc",
    "by docno, ascending": "docid-asc",
    "by docno, numbers as such": "docid-natural-desc",
    "by docno, without letter case": "docid-folded-desc",
    "in input order": "input",
}


def _as_number(form: Callable[[str], Any], name: str) -> str:
    return str(int(form(name))) if name.isdecimal() and len(name) < 30 else name


#: Way in which different ids become equal, in words -> function from an id to its form.
FORMS: dict[str, Callable[[str], str]] = {
    "in lower case": str.lower,
    "without leading zeros": lambda name: name.lstrip("0") or "0",
    "without leading capitals": lambda name: re.sub("^[A-Z]+(?=.)", "", name),
    "as their first 20 letters": lambda name: name[:20],
    "as their first 100 letters": lambda name: name[:100],
    "as their first 255 letters": lambda name: name[:255],
    "as numbers in single precision": partial(_as_number, np.float32),
    "as numbers in double precision": partial(_as_number, float),
    "without a version": lambda name: re.sub(r"(?<=\d)v\d+$", "", name),
    "without file endings": lambda name: re.sub(r"(?<=.)\.[a-z]+$", "", name),
    "up to the first . or #": lambda name: re.split(r"[.#]", name)[0] or name,
    "up to the first _": lambda name: name.split("_")[0] or name,
    "from the last / on": lambda name: name.rsplit("/", 1)[-1] or name,
    "with every sign as _": lambda name: re.sub(r"\W", "_", name),
    "without URL encoding": unquote,
    "in Latin-1": lambda name: name.encode("latin-1", "replace").decode("latin-1"),
    "in ASCII": lambda name: name.encode("ascii", "ignore").decode() or name,
    "with letters and accents as one": lambda name: unicodedata.normalize("NFC", name),
    "with letters of any width as one": lambda name: unicodedata.normalize("NFKC", name),
}
#: A docno that no form changes.
_PLAIN = re.compile("[a-z]{1,8}[0-9]{0,8}|[1-9][0-9]{0,5}")


def odd(docnos: Iterable[str]) -> list[str]:
    """The docnos that a form may change."""
    return [docno for docno in docnos if not _PLAIN.fullmatch(docno)]


_FIRST_LOST = _lines(lambda inputs: inputs.ranks > 1)
_LAST_LOST = _lines(lambda inputs: inputs.ranks < np.diff(inputs.run.offsets)[inputs.run.topic_numbers])


def _kinds() -> Iterator[tuple[str, str, Change]]:
    """Yield name, needed parts of the input (separated by blanks) and change of every :class:`Kind`."""
    yield "the cutoff was k-1", "", _cutoff(lambda k: k - 1)
    yield "the cutoff was k+1", "", _cutoff(lambda k: k + 1)
    yield "the cutoff was half of k", "", _cutoff(lambda k: k // 2)
    yield "the cutoff was 2k", "", _cutoff(lambda k: 2 * k)
    for most in (1, 2, 3, 4, 10, 100):
        yield f"levels above {most} counted as {most}", "levels", _levels(partial(np.minimum, most))
    yield "levels above 4 counted as 0", "levels", _levels(lambda v: np.where(v > 4, 0, v))
    yield "level 1 counted as 0", "levels", _levels(lambda v: np.where(v == 1, 0, v))
    yield "level 0 counted as 1", "levels", _levels(lambda v: np.where(v == 0, 1, v))
    yield "negative levels counted as positive", "signs", _levels(np.abs)
    yield "negative levels counted as 0", "signs", _levels(partial(np.maximum, 0))
    for depth in (5, 10, 20, 50, 100, 1_000, 2_000, 5_000, 10_000):
        yield f"lists ended at rank {depth:,}", "", _ended_at(depth)
    yield "the first document was lost", "", _FIRST_LOST
    yield "the last document was lost", "", _LAST_LOST
    for least in (100, 1000):
        long = f"in lists of {least:,} documents or more"
        yield f"{long} the cutoff was k-1", "", _in_long(least, _cutoff(lambda k: k - 1))
        yield f"{long} the first was lost", "", _in_long(least, _FIRST_LOST)
        yield f"{long} the last was lost", "", _in_long(least, _LAST_LOST)
    for most in (0, 10, 50, 100):
        yield f"at most {most} missed documents counted", "", _missed(most)
    yield "only the first 100 judgements were read", "docnos", _first_judgements
    for decimals in range(7):
        yield f"scores had {decimals} decimals", "scores", _rounded(decimals)
    for digits in (4, 6, 7):
        yield f"scores had {digits} significant digits", "scores", _significant(digits)
    yield "scores above 1 counted as 1", "scores", _scores(partial(np.minimum, 1.0))
    yield "scores had no sign", "scores", _scores(np.abs)
    yield "negative scores counted as 0", "scores", _scores(partial(np.maximum, 0.0))
    yield "scores below -100 counted as -100", "scores", _scores(partial(np.maximum, -100.0))
    scaled = _normalised(lambda scores: (scores - scores.min()) / (scores.max() - scores.min()))
    yield "scores were scaled to the range from 0 to 1", "scores", scaled
    yield "scores were a softmax", "scores", _normalised(lambda scores: np.exp(scores - scores.max()))
    yield "documents of score -inf were lost", "scores", _lines(lambda inputs: inputs.run.scores != -np.inf)
    for precision in ("float32", "float64"):
        yield f"scores were in {precision}", "scores", _under(score_precision=precision)
    for words, ties in _TIES.items():
        yield f"ties were ordered {words}", "scores docnos", _under(ties=ties)
    for gain in ("exponential", "binary"):
        yield f"the gain was {gain}", "levels", _under(gain=gain)
    for discount in ("jarvelin", "rank", "none"):
        yield f"the discount was {discount}", "", _under(discount=discount)
    for count in (1, 10, 25, 100, 250):
        yield f"only the first {count} of the queries counted", "queries", _only_first(count)
    yield "the last query was lost", "queries", _among(lambda probe, v: np.append(v[:-1], np.nan))
    yield "values in the order of the qrels had the ids of the run", "order", _among(_misplaced)
    for most in (1_000, 10_000):
        first = partial(_among_first, most)
        rows = _lines(partial(_of_rows, of_rows=first))
        yield f"only the first {most:,} rows of the run were read", "rows", rows
        yield f"only the first {most:,} rows of the qrels were read", "judged-rows", _judged_rows(first)
    together = _lines(partial(_of_rows, of_rows=_stand_together))
    yield "only the first block of a query's rows was read", "rows", together
    labels = _scores_of(partial(_of_rows, of_rows=_by_labels))
    yield "scores were given to rows by index labels, not by position", "labels", labels
    yield "queries shared their judgements", "queries docnos", _shared
    for sign in ("", "-", "_"):
        by = f" by {sign}" if sign else ""
        yield f"query ids and docnos were joined{by}", "topics docnos", _joined(sign)
        if sign:
            yield f"docnos and query ids were joined{by}", "topics docnos", _joined(sign, docno_first=True)
    for words, form in FORMS.items():
        yield f"docnos were read {words}", "docnos", _docnos(form)
        yield f"query ids were read {words}", "topics", _as_last(form)


def _named(kinds: Iterable[tuple[str, str, Change]]) -> tuple[Kind, ...]:
    return tuple(Kind(name, frozenset(parts.split()), change) for name, parts, change in kinds)


KINDS = _named(_kinds())


def _as_text(scores: FloatArray) -> FloatArray:
    """Numbers that sort as the scores do as text."""
    return np.unique([repr(score) for score in scores.tolist()], return_inverse=True)[1].astype(np.float64)


def _further() -> Iterator[tuple[str, str, Change]]:
    """Yield further kinds, which are recognised, and which no inputs are made for."""
    half = _scores(lambda v: v.astype(np.float16).astype(np.float64))
    yield "scores were in half precision", "scores", half
    yield "scores were compared as text", "scores", _scores(_as_text)
    forms: dict[str, Callable[[str], str]] = {
        "without signs": lambda name: re.sub(r"\W", "", name),
        "without .txt": lambda name: name.removesuffix(".txt"),
    }
    for sign in map(re.escape, "-_.:/#"):
        forms[f"up to the first {sign[-1]}"] = partial(re.sub, f"{sign}.*", "")
        forms[f"up to the last {sign[-1]}"] = partial(re.sub, f"{sign}[^{sign}]*$", "")
        forms[f"from the last {sign[-1]} on"] = partial(re.sub, f".*{sign}", "")
    for words, form in (FORMS | forms).items():
        read = f"docnos were read {words}"
        if words in forms:
            yield read, "docnos", _docnos(form)
        yield read, "docnos", _docnos(form, kept="best", highest=True)
        yield from ((read, "docnos", _docnos(form, kept="each", highest=of)) for of in (False, True))


_FURTHER = _named(_further())


def kinds_for(call: Call | None, kinds: Iterable[Kind] = KINDS) -> list[Kind]:
    """The kinds of change that a metric can have, judged by the parts of the input that its call passes."""
    passed = parts_passed(call)
    return [kind for kind in kinds if kind.needs <= passed]


def parts_passed(call: Call | None) -> set[str]:
    """The parts of the input, see :data:`_HANDED`, that a call passes. The call of a backend is None."""
    if call is None:  # a backend receives its queries in byte order
        return {*_HANDED, "queries", "topics"} - {"rows", "judged-rows", "labels"}
    handed = {part for part, words in _HANDED.items() if call.words & words}
    handed |= set() if call.of_one else {"queries"}
    handed |= {"topics", "order"} if call.named_queries else set()
    return handed - ({"docnos"} if call.numbers_docnos else set())


def showing(
    kinds: Iterable[Kind], probes: Iterable[Probe], measure: Measure, base: Conventions, **compared: Any
) -> dict[str, list[Probe]]:
    """Name of each kind -> the smallest inputs on which it changes :data:`ENOUGH` values in total; if fewer
    values change, all inputs with a changed value. An input is listed once per changed value.

    Args:
        base: the reference's conventions.
        compared: how values are compared; see :meth:`Batch.changed`.
    """
    readable = [p for p in probes if all(query.judged and query.lines for _, query in p.queries)]
    batches = [Batch(batch, measure, base) for batch in _batches(sorted(readable, key=lambda p: p.size))]
    inputs_of: dict[str, list[Probe]] = {}
    for kind in kinds:
        shown = inputs_of.setdefault(kind.name, [])
        for inputs in batches:
            if len(shown) < ENOUGH:
                numbers = inputs.changed(kind.change, **compared)
                shown += [inputs.probes[i] for i in np.repeat(np.arange(len(numbers)), numbers).tolist()]
        del shown[ENOUGH:]
    return inputs_of


def _batches(probes: Sequence[Probe]) -> Iterator[Sequence[Probe]]:
    """Batches of inputs by size, the smallest first."""
    bounds = [0, *np.searchsorted(list(accumulate(p.size for p in probes)), _TOGETHER).tolist(), len(probes)]
    return (probes[start:end] for start, end in pairwise(bounds) if start < end)


#: Maximum number of sets of fresh inputs in which inputs that show a kind of change are searched; the same
#: for kinds that some inputs show already, but too few.
_MOST_SETS, _MOST_SETS_FOR_MORE = 16, 3


@lru_cache(maxsize=64)
def _with_effect(
    kinds: tuple[Kind, ...], measure: Measure, base: Conventions, *, seed: int, **compared: Any
) -> frozenset[str]:
    """The names of the kinds that affect a measure at all, as the inputs of a further set show.

    This does not depend on the metric, so the audits of a process share it. ``compared``: as for
    :func:`showing`.
    """
    shown = showing(kinds, fresh_probes(seed + 1, measure.cutoff, few=True), measure, base, **compared)
    return frozenset(name for name, some in shown.items() if some)


def fault_of(
    answers: Iterable[Asked], example: Asked, base: Conventions, call: Call | None, tolerance: float
) -> str:
    """The name of the first kind of change that gives every value of a metric, and that of an example; empty
    if none does, or if too few values are unlike those of the conventions.

    Args:
        answers: the metric's answers for the measure that is asked for; those for others do not count.
        base: the metric's conventions.
    """
    given = {one.probe: one for one in answers if one.error is None and one.measure == example.measure}
    given[example.probe] = example
    readable = [p for p in given if all(query.judged and query.lines for _, query in p.queries)]
    means, decimals = not any(one.given.values for one in given.values()), example.given.decimals
    if example.probe not in readable:
        return ""

    def compared(
        probes: Sequence[Probe], *, means: bool = means
    ) -> tuple[Batch, Callable[[Change], BoolArray]]:
        some = [given[probe] for probe in probes]
        if means:
            seen = [one.given.mean for one in some]
        else:
            ids = [(one, id.encode()) for one in some for id, _ in one.probe.queries]
            seen = [one.given.values.get(id) if id in one.read else None for one, id in ids]
        inputs = Batch(probes, example.measure, base)
        return inputs, partial(inputs.gives, np.array(seen, np.float64), tolerance, decimals, means=means)

    tests = [compared(batch) for batch in _batches(sorted(readable, key=lambda probe: probe.size))]
    unlike = [
        inputs.probes[i if means else inputs.probe_of[i]]
        for inputs, gives in tests
        for i in np.flatnonzero(~gives(lambda inputs: inputs.before)).tolist()
    ]
    if len(unlike) < ENOUGH:
        return ""
    kinds = kinds_for(call, (*KINDS, *_FURTHER))
    of_example = compared([example.probe], means=example.probe.reads is None)
    for _, gives in (compared([*dict.fromkeys(unlike[:ENOUGH])]), of_example, *tests):  # few pass the first
        kinds = [kind for kind in kinds if gives(kind.change).all()]
    return kinds[0].name if kinds else ""


class Coverage(Struct, frozen=True):
    """The kinds of change that would show on the inputs of an audit.

    Attributes:
        caught: number of kinds that change enough values.
        missed: names of the kinds that change some values, but too few: fewer than :data:`ENOUGH` if time was
            up, else none.
        without_effect: names of the kinds that change no value on any set of inputs, and so do not affect
            this measure.
        asked: the metric's answers on the inputs that were added.
    """

    caught: int = 0
    missed: list[str] = []
    without_effect: list[str] = []
    asked: list[Asked] = []


def until_covered(
    asking: Asking, asked: Iterable[Asked], base: Conventions, *, tolerance: float, seed: int
) -> Coverage:
    """Call a metric on more inputs, until the inputs would show every kind of change to the reference.

    Inputs on which the metric fails count as well, because a failure is not taken for a right value.

    Args:
        asking: calls the metric.
        asked: the answers on fresh inputs so far.
        base: the reference's conventions.
        tolerance: tolerance within which values are compared.
        seed: seed of the random inputs.
    """
    subject = asking.subject
    about, first = subject.measure, subject.first
    compared: dict[str, Any] = {"tolerance": tolerance, "decimals": first.decimals, "means": not first.values}
    reads = family(about.family).reads
    # If 2^level is part of the formula, it exceeds the integers of many languages at extreme levels.
    powers = MAX_GRADE in reads and IDEAL not in reads
    levels = not powers and (GAIN not in reads or base[GAIN] is Gain.LINEAR)
    kinds, more = kinds_for(subject.call), [*asking.answers(extreme_probes(seed, levels=levels))]
    if subject.call is None or not subject.call.by_query or subject.call.adding:
        more += asking.answers([crowd(seed)])
    before = dict.fromkeys(one.probe for one in (*asked, *more))
    seen = showing(kinds, before, about, base, **compared)
    possible = {name for name, probes in seen.items() if probes}
    rest = tuple(kind for kind in kinds if kind.name not in possible)
    possible |= _with_effect(rest, about, base, seed=seed, **compared)
    for number in range(int(not first.one_by_one), _MOST_SETS):
        least = ENOUGH if number < _MOST_SETS_FOR_MORE else 1
        short = [k for k in kinds if len(seen[k.name]) < least and (not number or k.name in possible)]
        if not short or (number and asking.time_is_up):
            break
        extreme = extreme_probes(seed + number, levels=levels) if number else ()
        probes = (p for p in (*fresh_probes(seed + number, about.cutoff), *extreme) if p not in before)
        inputs_of = showing(short, probes, about, base, **compared)
        possible |= {name for name, some in inputs_of.items() if some}
        chosen = dict.fromkeys(p for k in short for p in inputs_of[k.name][: ENOUGH - len(seen[k.name])])
        more += asking.answers(chosen)
        # With few possible arguments, as of f(ranks), all may have been passed before.
        passed = {probe for probe in chosen if not asking.new(probe)[0]}
        for kind in short:
            seen[kind.name] += [probe for probe in inputs_of[kind.name] if probe in passed]
    # What many sets show only once or twice is rare: that the metric is right there has to be enough.
    enough = ENOUGH if asking.time_is_up else 1
    missed = [name for name, probes in seen.items() if len(probes) < enough and name in possible]
    without_effect = [kind.name for kind in kinds if kind.name not in possible]
    return Coverage(len(possible) - len(missed), missed, without_effect, more)
