"""trec_eval's names for measures, for the backends that run trec_eval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from crosscheck.measures import families
from crosscheck.model import Measure, ParamValue, written
from crosscheck.names import trec_eval_name

#: Families whose measure in trec_eval ignores the relevance level, unlike crosscheck's measure.
_WITHOUT_LEVEL = frozenset({"NumRet", "NumQ"})


def format_of(measure: Measure) -> str:
    """The format of judgements (trec_eval's ``-R``) that a measure needs."""
    return {"groups": "qrels_jg", "preferences": "prefs"}.get(families()[measure.family].needs, "qrels")


def printed_name(measure: Measure) -> str | None:
    """The name that trec_eval 9 prints, such as ``ndcg_cut_10``; None if it does not have the measure.

    The relevance level is an option (``-l``) and not part of the name. Parameters are supported only if they
    are written like a cutoff (``IPrec@0.1``) and have at most two decimals, because trec_eval prints two
    decimals. For all further parameters pytrec_eval uses a different name or ends the process.
    """
    about = families().get(measure.family)
    if about is None or about.trec_eval_since != "9.0.8" or about.needs == "subtopics":
        return None
    if measure.cutoff is not None and measure.cutoff < 1:
        return None
    if measure.rel is not None and (measure.rel < 1 or not about.rel or measure.family in _WITHOUT_LEVEL):
        return None
    if any(name != about.at_parameter or not _short(value) for name, value in measure.params):
        return None
    return trec_eval_name(measure)


def _short(value: ParamValue) -> bool:
    return isinstance(value, int | float) and float(f"{value:.2f}") == value


def parameters(measures: Iterable[Measure]) -> list[str]:
    """The measure arguments for trec_eval: ``["P.5,10", "map"]``.

    All cutoffs of a family are in one list, because trec_eval uses only the first list of a measure. Each
    cutoff is listed once, because trec_eval fails on a repeated cutoff.
    """
    cutoffs: dict[str, set[float]] = {}
    for measure in measures:
        about = families()[measure.family]
        at = about.at_parameter
        cutoff = measure.cutoff if at == "cutoff" else dict(measure.params)[at]
        name = about.trec_eval if cutoff is None else about.trec_eval_cut
        assert name is not None, f"trec_eval does not have {measure}"
        cuts = cutoffs.setdefault(name, set())
        if isinstance(cutoff, int | float):
            cuts.add(cutoff)
    listed = {name: ",".join(map(written, sorted(cuts))) for name, cuts in sorted(cutoffs.items())}
    return [f"{name}.{cuts}" if cuts else name for name, cuts in listed.items()]


def together(measures: Sequence[Measure]) -> list[tuple[tuple[str, int], list[Measure]]]:
    """Group the measures by the call of trec_eval that can compute them. A group is ((format of judgements,
    relevance level), measures)."""

    def key(measure: Measure) -> tuple[str, int]:
        return format_of(measure), measure.rel or 1

    return [(shared, list(some)) for shared, some in groupby(sorted(measures, key=key), key=key)]
