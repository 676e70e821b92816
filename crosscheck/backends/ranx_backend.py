"""The backend ``ranx``. ranx compiles itself with numba on the first call and stores the result on disk.

Docnos are replaced by numbers of equal length, because ranx compiles itself again for each length of the
longest docno. This changes no value, because ranx compares docnos only for equality.
"""

import warnings
from collections.abc import Sequence, Set
from typing import TypeVar

import numpy as np

from crosscheck.backends.base import BackendFactory, Packaged
from crosscheck.backends.texts import Texts, as_texts
from crosscheck.errors import BackendError
from crosscheck.model import Measure, MeasureValues, Qrels, Run

_T = TypeVar("_T")

#: Family -> (ranx's name, whether a cutoff is possible, whether one is needed).
_NAMES = {
    "P": ("precision", True, True),
    "R": ("recall", True, True),
    "F1": ("f1", True, True),
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
    start_seconds = 300.0  # to compile on the first start on a machine; with two processors it took 50

    def __init__(self, make_comparable: bool | None = None) -> None:
        self._make_comparable = make_comparable

    def prepare(self) -> None:
        """Compile the functions that :meth:`evaluate` calls, or load their compiled form."""
        inputs = Texts({"1": {"1": 1, "2": 0}}, {"1": {"1": 1.0}}, {})
        cutoffs = {name: "@1" * possible for name, possible, _ in _NAMES.values()}
        _evaluated(inputs, [*(name + at for name, at in cutoffs.items()), "ndcg_burges"], comparable=True)

    def in_parts(self, measures: Sequence[Measure], same_queries: bool) -> Packaged | None:
        # In ranx's bpref one query can change the values of others; see _barren.
        return None if any(m.family == "bpref" for m in measures) else Ranx(not same_queries)

    def mean_of(self, measure: Measure, values: list[float]) -> float:
        """The mean of values of :meth:`evaluate`, computed by ``numpy.mean`` as in ``ranx.evaluate``."""
        return float(np.mean(values))

    def supports(self, measure: Measure) -> bool:
        return _name(measure) is not None

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values and means from one call for all measures. For values of bpref see also :func:`_barren`.

        Raises:
            BackendError: ranx raised an error, as for an empty run.
        """
        inputs, comparable = _numbered(as_texts(qrels, run)), self._make_comparable
        if comparable is None:
            comparable = inputs.qrels.keys() != inputs.run.keys()
        names = {measure: str(_name(measure)) for measure in measures}
        answers: dict[Measure, MeasureValues] = {}
        try:
            values, means = _evaluated(inputs, list(names.values()), comparable)
            for measure, name in names.items():
                divided = _barren(inputs, measure) if measure.family == "bpref" else []
                apart = [_evaluated(_only(inputs, some), [name], comparable)[0] for some in divided]
                by_topic = {inputs.topics[t]: v for part in apart or [values] for t, v in part[name].items()}
                answers[measure] = MeasureValues(by_topic, means[name], self.engine, one_by_one=bool(apart))
        except Exception as error:
            raise BackendError(f"ranx failed: {type(error).__name__}: {error}") from error
        return answers


def _numbered(texts: Texts) -> Texts:
    """The inputs with numbers in the place of docnos."""
    numbers: dict[str, str] = {}

    def numbered(docs: dict[str, _T]) -> dict[str, _T]:
        return {numbers.setdefault(docno, f"{len(numbers):09}"): value for docno, value in docs.items()}

    judged = {topic: numbered(docs) for topic, docs in texts.qrels.items()}
    return Texts(judged, {topic: numbered(docs) for topic, docs in texts.run.items()}, texts.topics)


def _evaluated(
    inputs: Texts, names: list[str], comparable: bool
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Values by name and topic, and means by name. ``comparable``: whether to use ``make_comparable``."""
    import ranx

    results = ranx.Run(inputs.run)
    # One thread: which queries bpref's loop never reaches depends on the number of threads.
    with warnings.catch_warnings(action="ignore"):
        ranx.evaluate(ranx.Qrels(inputs.qrels), results, names, threads=1, make_comparable=comparable)
    values = {name: {topic: float(v) for topic, v in results.scores[name].items()} for name in names}
    return values, {name: float(results.mean_scores[name]) for name in names}


def _barren(inputs: Texts, measure: Measure) -> list[Set[str]]:
    """The judged topics with and without relevant documents, if there are both; else nothing.

    For a query without relevant documents ranx's bpref divides by zero, which ends its loop over queries, so
    that all later queries get 0. Therefore queries without relevant documents are evaluated in a call of
    their own.
    """
    barren = {topic for topic, docs in inputs.qrels.items() if max(docs.values()) < (measure.rel or 1)}
    others = inputs.qrels.keys() - barren
    return [others, barren] if barren and others else []


def _only(inputs: Texts, topics: Set[str]) -> Texts:
    """The inputs for some of the judged topics. If the run has none of these topics, the whole run is kept,
    because ranx raises an error for an empty run."""
    run = {topic: docs for topic, docs in inputs.run.items() if topic in topics}
    qrels = {topic: docs for topic, docs in inputs.qrels.items() if topic in topics}
    return Texts(qrels, run or inputs.run, inputs.topics)


FACTORY = BackendFactory(
    usage="ranx",
    summary="ranx's measures; a judged query without results counts as 0",
    make=lambda argument, options: Ranx(),
)
