"""ranx: ``ranx``. It compiles its measures with numba: a large install and a slow first call."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import warnings
from collections.abc import Sequence

import numpy as np

from crosscheck.backends.base import Backend, Description, Kind, Options
from crosscheck.backends.texts import as_texts
from crosscheck.conventions import Conventions, conventions
from crosscheck.errors import BackendError
from crosscheck.model import Measure, MeasureValues, Qrels, Run

__all__ = ["KIND", "Ranx"]

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
    """ranx's spelling (``ndcg@10-l2``), None where it has none."""
    base, possible, needed = _NAMES.get(measure.family, ("", False, False))
    burges = measure.params == (("dcg", "exp-log2"),)
    if not base or (measure.params and not burges):
        return None
    if (measure.cutoff is None and needed) or (measure.cutoff is not None and not possible):
        return None
    if burges:
        base = "ndcg_burges"
    level = "" if measure.rel is None or measure.family == "nDCG" else f"-l{measure.rel}"
    return base + ("" if measure.cutoff is None else f"@{measure.cutoff}") + level


class Ranx:
    """Queries of one side only are handled by ``make_comparable``: missing ones count 0, extra ones go."""

    id = "ranx"
    isolated = True

    @property
    def conventions(self) -> Conventions | None:
        return conventions("ranx")

    def describe(self) -> Description:
        if importlib.util.find_spec("ranx") is None:
            reason = "ranx is not installed: pip install ranx (700 MB with what it needs)"
            return Description(self.id, "", self.id, available=False, reason=reason)
        return Description(self.id, _version(), f"ranx {_version()}", available=True)

    def supports(self, measure: Measure) -> bool:
        return _name(measure) is not None

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """One call for all measures; the means are ranx's own.

        Raises:
            BackendError: ranx raised, as for a query whose judgements it cannot take.
        """
        texts = as_texts(qrels, run)
        names = {measure: str(_name(measure)) for measure in measures}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                import ranx

                results = ranx.Run(texts.run)
                means = ranx.evaluate(
                    ranx.Qrels(texts.qrels), results, list(names.values()), make_comparable=True
                )
            except Exception as error:
                raise BackendError(f"ranx failed: {type(error).__name__}: {error}") from error
        if not isinstance(means, dict):
            means = dict.fromkeys(names.values(), means)
        found: dict[Measure, MeasureValues] = {}
        for measure, name in names.items():
            scores = results.scores[name]
            values = {texts.topics[topic]: float(value) for topic, value in scores.items()}
            found[measure] = MeasureValues(values, float(np.float64(means[name])), f"ranx {_version()}")
        return found


def _version() -> str:
    try:
        return importlib.metadata.version("ranx")
    except importlib.metadata.PackageNotFoundError:
        return ""


def _make(argument: str | None, options: Options) -> Backend:
    return Ranx()


KIND = Kind(
    name="ranx",
    make=_make,
    usage="ranx",
    summary="ranx's measures; a judged query without results counts as 0",
)
