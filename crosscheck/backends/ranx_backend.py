"""The backend ``ranx``. ranx compiles itself with numba on the first call and stores the result on disk.

Docnos are replaced by numbers of equal length, because ranx compiles itself again for each length of the
longest docno. This changes no value, because ranx compares docnos only for equality.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.backends.base import BackendFactory, Packaged
from crosscheck.backends.texts import as_texts
from crosscheck.errors import BackendError
from crosscheck.model import Measure, MeasureValues, Qrels, Run

_T = TypeVar("_T")

#: Seconds that the first start on a machine may take; with two processors it took 50.
_COMPILING = 300.0

#: Family -> (ranx's name, whether a cutoff is possible, whether one is needed).
_NAMES = {
    "P": ("precision", True, True),
    "R": ("recall", True, True),
    "RR": ("mrr", True, False),
    "AP": ("map", True, False),
    "nDCG": ("ndcg", True, False),
    "Rprec": ("r-precision", False, False),
    "bpref": ("bpref", False, False),
    "Success": ("hit_rate", True, True),
}


def _name(measure: Measure) -> str | None:
    """The name of a measure in ranx, such as ``map@10-l2``; None if ranx does not have the measure."""
    base, possible, needed = _NAMES.get(measure.family, ("", False, False))
    burges = measure.params == (("dcg", "exp-log2"),)
    if not base or (measure.params and not burges):
        return None
    if (measure.cutoff is None and needed) or (measure.cutoff is not None and not possible):
        return None
    # In ranx's ndcg the relevance level is the lowest level with a gain; trec_eval has no such parameter.
    if measure.rel is not None and (measure.rel < 1 or base == "ndcg"):
        return None
    cutoff = "" if measure.cutoff is None else f"@{measure.cutoff}"
    level = "" if measure.rel is None else f"-l{measure.rel}"
    return ("ndcg_burges" if burges else base) + cutoff + level


class Ranx(Packaged):
    """``ranx.evaluate``, with ``make_comparable`` if run and qrels do not have the same queries.

    With ``make_comparable``, judged queries without results get 0 and queries without judgements are dropped,
    as ranx documents. Every ranking is then sorted a second time, which reorders tied documents again.
    """

    id = "ranx"
    modules = ("ranx",)
    distributions = ("ranx",)
    start_seconds = _COMPILING

    def __init__(self, make_comparable: bool | None = None) -> None:
        self._make_comparable = make_comparable

    def prepare(self) -> None:
        """Compile the functions that :meth:`evaluate` calls, or load their compiled form."""
        inputs = _Inputs(
            qrels={"1": {"1": 1, "2": 0}}, run={"1": {"1": 1.0}}, topics={}, make_comparable=True
        )
        cutoffs = {name: "@1" * possible for name, possible, _ in _NAMES.values()}
        _evaluated(inputs, [*(name + at for name, at in cutoffs.items()), "ndcg_burges"])

    def in_parts(self, measures: Sequence[Measure], same_queries: bool) -> Ranx | None:
        # In ranx's bpref one query can change the values of others; see _apart.
        return None if any(m.family == "bpref" for m in measures) else Ranx(not same_queries)

    def means_of(self, values: Mapping[Measure, list[float]]) -> dict[Measure, MeasureValues]:
        """The means of values of :meth:`evaluate`, computed by ``numpy.mean`` as in ``ranx.evaluate``."""
        return {m: MeasureValues({}, float(np.mean(held)), self.engine) for m, held in values.items()}

    def supports(self, measure: Measure) -> bool:
        return _name(measure) is not None

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values and means from one call for all measures. For values of bpref see also :func:`_apart`.

        Raises:
            BackendError: ranx raised an error, as for an empty run.
        """
        inputs = _inputs(qrels, run)
        if self._make_comparable is not None:
            inputs = replace(inputs, make_comparable=self._make_comparable)
        names = {measure: str(_name(measure)) for measure in measures}
        try:
            values, means = _evaluated(inputs, list(names.values()))
            apart = {m: _apart(inputs, m, name) for m, name in names.items() if m.family == "bpref"}
        except Exception as error:
            raise BackendError(f"ranx failed: {type(error).__name__}: {error}") from error
        answers: dict[Measure, MeasureValues] = {}
        for measure, name in names.items():
            own = apart.get(measure)
            by_topic = {inputs.topics[t]: v for t, v in (values[name] if own is None else own).items()}
            answers[measure] = MeasureValues(by_topic, means[name], self.engine, one_by_one=own is not None)
        return answers


class _Inputs(Struct, frozen=True, kw_only=True, eq=False):
    """The inputs of ranx.

    Attributes:
        topics: topic as text -> topic id.
        make_comparable: whether run and qrels have different queries.
    """

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    topics: dict[str, bytes]
    make_comparable: bool

    def only(self, topics: Collection[str]) -> _Inputs:
        """The inputs for some of the judged topics. If the run has none of these topics, the whole run is
        kept, because ranx raises an error for an empty run."""
        run = {topic: docs for topic, docs in self.run.items() if topic in topics}
        qrels = {topic: docs for topic, docs in self.qrels.items() if topic in topics}
        return replace(self, qrels=qrels, run=run or self.run)


def _inputs(qrels: Qrels, run: Run) -> _Inputs:
    texts = as_texts(qrels, run)
    numbers: dict[str, str] = {}

    def numbered(docs: dict[str, _T]) -> dict[str, _T]:
        return {numbers.setdefault(docno, f"{len(numbers):09}"): value for docno, value in docs.items()}

    judged = {topic: numbered(docs) for topic, docs in texts.qrels.items()}
    results = {topic: numbered(docs) for topic, docs in texts.run.items()}
    return _Inputs(
        qrels=judged, run=results, topics=texts.topics, make_comparable=judged.keys() != results.keys()
    )


def _evaluated(inputs: _Inputs, names: list[str]) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Values by name and topic, and means by name."""
    import ranx

    results = ranx.Run(inputs.run)
    # One thread: which queries bpref's loop never reaches depends on the number of threads.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        comparable = inputs.make_comparable
        ranx.evaluate(ranx.Qrels(inputs.qrels), results, names, threads=1, make_comparable=comparable)
    values = {name: {topic: float(v) for topic, v in results.scores[name].items()} for name in names}
    return values, {name: float(results.mean_scores[name]) for name in names}


def _apart(inputs: _Inputs, measure: Measure, name: str) -> dict[str, float] | None:
    """bpref of each query, computed so that no query affects another; None if this is not needed.

    For a query without relevant documents ranx divides by zero, which ends its loop over queries, so that all
    later queries get 0. Therefore queries without relevant documents are evaluated in a call of their own.
    """
    level = measure.rel or 1
    barren = {topic for topic, docs in inputs.qrels.items() if max(docs.values()) < level}
    others = inputs.qrels.keys() - barren
    if not barren or not others:
        return None
    return {
        t: v for part in (others, barren) for t, v in _evaluated(inputs.only(part), [name])[0][name].items()
    }


FACTORY = BackendFactory(
    name="ranx",
    make=lambda argument, options: Ranx(),
    usage="ranx",
    summary="ranx's measures; a judged query without results counts as 0",
)
