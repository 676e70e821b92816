"""The Python interface of pytrec_eval, computed natively: ``import crosscheck as pytrec_eval``.

Names, arguments, keys and values equal those of pytrec_eval, which computes trec_eval 9.0.8's values. Inputs
on which pytrec_eval crashes, or returns values of an earlier call, have a defined result here: queries
without documents, judgements that are all negative, ids with any character, ``ndcg_10``. ``utility`` with
coefficients, which is always 0.0 in pytrec_eval, has trec_eval's value. A relevance level below 0, at which
pytrec_eval crashes or gives 0.0 for every measure, is an error here. Names that pytrec_eval silently misreads
are errors here: ``recip_rank_5``, ``P_5abc``, two parameters for ``set_F``.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from crosscheck.conventions import Conventions
from crosscheck.errors import ArgumentError, quoted
from crosscheck.measures import family
from crosscheck.measures.base import Compute
from crosscheck.model import FloatArray, Measure
from crosscheck.names import GROUPS
from crosscheck.rankings.dict_pool import DictPool
from crosscheck.rankings.judged import JudgedRankings, judge
from crosscheck.trec_eval import options

__all__ = ["RelevanceEvaluator", "compute_aggregated_measure", "parse_qrel", "parse_run"]
__all__ += ["supported_measures", "supported_nicknames"]

_Number = TypeVar("_Number", int, float)

_MEASURES = options.trec_eval_measures("9.0.8")

#: Names of the measures. ``runid`` and ``relstring`` are texts in trec_eval; their value here is 0.0, as in
#: pytrec_eval.
supported_measures: set[str] = _MEASURES.keys() & GROUPS["all_trec"]

#: Nickname -> names of its measures.
supported_nicknames: dict[str, set[str]] = {name: _MEASURES.keys() & of for name, of in GROUPS.items()}

_NUMBER = r"[0-9]+(\.[0-9]+)?"
_WITH_PARAMETERS = re.compile(
    rf"(?P<name>{'|'.join(sorted(map(re.escape, supported_measures), key=len, reverse=True))})"
    rf"(_(?P<numbers>{_NUMBER}(,{_NUMBER})*)|\.(?P<any>.+))"
)


class RelevanceEvaluator:
    """Judgements and measures, for evaluating any number of runs.

    Args:
        query_relevance: ``{query: {docno: level}}``; queries without judgements are left out. The data is
            copied.
        measures: names, with parameters after a point or an underscore (``P_5``, ``ndcg_cut.10,20``), or
            nicknames (``official``, ``set``, ``all_trec``). If cutoffs are given for a measure, all of them
            are used in place of the default cutoffs.
        relevance_level: lowest level that counts as relevant (trec_eval ``-l``), at least 1.
        judged_docs_only_flag: remove unjudged documents first (trec_eval ``-J``).

    Raises:
        TypeError: an argument is not of the type described above.
        ValueError: a measure does not exist or needs judgements of another format, its parameters are
            invalid, ``relevance_level`` is below 0, or a level does not fit into 64 bits.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if not hasattr(relevance_level, "__index__"):
            raise TypeError(f"relevance_level must be an integer, not {relevance_level!r}")
        if int(relevance_level) == 0:
            raise TypeError("relevance_level must not be 0 (an error in pytrec_eval as well)")
        if int(relevance_level) < 0:
            problem = f"relevance_level must be at least 1, not {relevance_level}"
            wanted = f'conventions="relevance_level={relevance_level}"'
            raise ArgumentError(problem, hint=f"for lower levels use crosscheck.evaluate with {wanted}")
        self._columns = {key: _formula(column) for key, column in _columns(measures).items()}
        self._nothing = dict.fromkeys(self._columns, math.nan)
        unjudged = "removed" if judged_docs_only_flag else "nonrelevant"
        self._conventions = Conventions(relevance_level=int(relevance_level), unjudged=unjudged)
        self._pool = DictPool(query_relevance)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Values of a run ``{query: {docno: score}}``.

        Scores are compared as float32 and ties broken by descending docno. ``gm_map`` and ``gm_bpref`` are
        natural logarithms, as in pytrec_eval.

        Returns:
            ``{query: {measure: value}}`` for the judged queries of the run, in the order of the run; a query
            without documents has the values of an empty ranking. Cutoffs are part of the measure's key, all
            other parameters are not.

        Raises:
            TypeError: an id is not text, or a score is not a number.
            ValueError: a score is NaN or too large for a float.
        """
        if not scores:
            return {}
        if not isinstance(scores, Mapping):
            raise TypeError(f"a run must be {{query: {{docno: score}}}}, not {type(scores).__name__}")
        queries, judged = self._pool.judged(scores)
        rows: list[list[float]] = self._values(judge(judged, self._conventions)).T.tolist()
        result: dict[str, dict[str, float]] = {}
        for query, row in zip(queries, rows, strict=True):
            # A copy of a dict that has all keys is filled faster than a new one grows.
            result[query] = values = self._nothing.copy()
            values.update(zip(self._columns, row, strict=True))
        return result

    def _values(self, judged: JudgedRankings) -> FloatArray:
        """The values as an array with a row per measure and a column per query."""
        # Family -> the cutoff from which on the values no longer change.
        pool = int(judged.count(judged.pool_topic).max(initial=0))
        whole = {"AP": judged.deepest, "R": judged.deepest, "nDCG": max(judged.deepest, pool)}
        computed: dict[str, FloatArray] = {}
        values: list[FloatArray] = []
        for name, (compute, measure) in self._columns.items():
            if measure.cutoff is not None and measure.cutoff >= whole.get(measure.family, math.inf):
                name = measure.family  # not a name of pytrec_eval
            if name not in computed:
                computed[name] = compute(judged, self._conventions, measure)
            values.append(computed[name])
        return np.array(values).reshape(len(values), judged.num_topics)


def _formula(column: options.OutputColumn) -> tuple[Compute, Measure]:
    if column.measure is None:  # a text
        return lambda judged, conventions, measure: np.zeros(judged.num_topics), Measure(column.about.name)
    return family(column.measure.family).compute, column.measure


def _columns(measures: Iterable[str]) -> dict[str, options.OutputColumn]:
    """The measures to compute by result key, in trec_eval's order of printing."""
    if isinstance(measures, str):
        raise TypeError(f"measures must be a set or a list of names, such as {{{measures!r}}}")
    request = options.MeasureRequest("9.0.8")
    parameters = defaultdict[str, list[str]](list)
    for measure in measures:
        for name in sorted(supported_nicknames.get(measure, {measure})):
            known, given = _named(name)
            request.add(known.encode())
            parameters[known] += [given] if given is not None else []
    for name, several in parameters.items():
        if several:
            request.parameters[name] = _joined(_MEASURES[name], several).encode()
    if not parameters:
        return {}
    try:
        wanted = options.columns(request, 0)
    except options.TrecEvalError as error:
        raise ArgumentError(str(error.problem)) from None
    if any(column.about.name == "utility" and column.measure is None for column in wanted):
        raise ArgumentError("utility needs four coefficients", hint="write for example utility.1,-1,0,0")
    return {_key(column): column for column in wanted}


def _named(measure: str) -> tuple[str, str | None]:
    """Split a name into the measure and the text of its parameters (None without parameters)."""
    if not isinstance(measure, str):
        raise TypeError(f"the name of a measure must be text, not {measure!r}")
    if measure in supported_measures:
        return measure, None
    match = _WITH_PARAMETERS.fullmatch(measure)
    if match is None:
        hint = f"use one of: {', '.join(sorted(supported_measures))}"
        raise ArgumentError(f"unsupported measure {measure}", hint=hint)
    name, given = match["name"], match["numbers"] or match["any"]
    takes = _MEASURES[name].takes
    if not takes or (takes == "pairs" and "=" not in given):
        wanted = f"gains, such as {name}.1=3" if takes else "no parameters"
        cut = {"map": f"write map_cut_{given}", "ndcg": f"write ndcg_cut_{given} for a cutoff"}
        raise ArgumentError(f"unsupported measure {measure}: {name} takes {wanted}", hint=cut.get(name))
    return name, given


def _joined(about: options.TrecEvalMeasure, several: Sequence[str]) -> str:
    """The parameters of a measure that was named several times, as one list.

    Cutoffs and recall points of all names are joined. For other measures all names must have the same
    parameters. The points of ``11pt_avg`` are sorted as texts, as in pytrec_eval.
    """
    if about.name == "11pt_avg":
        return ",".join(sorted({one for part in several for one in part.split(",")}))
    if about.takes in ("cutoffs", "points"):
        read = options.long if about.takes == "cutoffs" else options.double
        return ",".join({read(one): one for part in several for one in part.split(",")}.values())
    if len(set(several)) > 1:
        problem = f"{about.name} is requested with different parameters: {', '.join(several)}"
        raise ArgumentError(problem, hint="request one of them per evaluator")
    return several[0]


def _key(column: options.OutputColumn) -> str:
    about = column.about
    return column.name.decode() if about.takes in ("cutoffs", "points") else about.name


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """The summary of values over queries, as in pytrec_eval: the sum for ``num_*``, exp of the mean for
    ``gm_*``, else the mean. Without values the sum is 0.0 and the mean NaN.

    Numbers are added pairwise, as in pytrec_eval. trec_eval itself adds them one by one, so that its result
    may differ in the last bits.
    """
    total = float(np.sum(np.asarray(values, np.float64)))
    if measure.startswith("num_"):
        return total
    mean = total / len(values) if len(values) else math.nan
    return float(np.exp(mean)) if measure.startswith("gm_") else mean


def parse_run(f_run: Iterable[str]) -> defaultdict[str, dict[str, float]]:
    """``{query: {docno: score}}`` from lines of ``query Q0 docno rank score tag``. The dict gives {} for
    queries without lines.

    Args:
        f_run: lines of text, such as an open file.

    Raises:
        ValueError: a line does not have six columns, a score is not a number, or a document occurs twice
            under a query; the message names the line.
    """
    return _parsed(f_run, "query Q0 docno rank score tag", 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> defaultdict[str, dict[str, int]]:
    """``{query: {docno: level}}`` from lines of ``query 0 docno relevance``. Argument and errors are those of
    :func:`parse_run`."""
    return _parsed(f_qrel, "query 0 docno relevance", 3, int)


def _parsed(
    lines: Iterable[str], columns: str, place: int, read: Callable[[str], _Number]
) -> defaultdict[str, dict[str, _Number]]:
    """``{query: {docno: number}}``, with the number from the column at index ``place`` of each line."""
    table: defaultdict[str, dict[str, _Number]] = defaultdict(dict)
    for number, line in enumerate(lines, 1):
        words = line.split()
        if len(words) != len(columns.split()):
            problem = f"line {number} has {len(words)} columns: {quoted(line)}"
            raise ArgumentError(problem, hint=f"write: {columns}")
        query, _, docno, *_ = words
        try:
            value = read(words[place])
        except ValueError:
            raise ArgumentError(f"line {number}: {quoted(words[place])} is not a number") from None
        if docno in table[query]:
            raise ArgumentError(f"line {number}: document {quoted(docno)} occurs twice under its query")
        table[query][docno] = value
    return table
