"""Two assessors compared: kappa, overlap and confusion."""

from __future__ import annotations

from crosscheck.engine.conversion import QrelsLike, as_qrels
from crosscheck.errors import UsageError, quoted
from crosscheck.harness.environment import environment
from crosscheck.statistics.kappa import agreement
from crosscheck.studies.named_runs import TOOL
from crosscheck.study_records.agreement import Agreement, AgreementDocument

__all__ = ["compare_qrels"]


def compare_qrels(first: QrelsLike, second: QrelsLike, *, relevance_level: int = 1) -> AgreementDocument:
    """Compare two assessors on the documents that both judged.

    Args:
        first, second: the qrels of the two assessors, as for :func:`crosscheck.evaluate`.
        relevance_level: lowest level that is relevant, for the overlap.

    Returns:
        The document. Documents that only one assessor judged are counted in it, but enter no other number.

    Raises:
        InputError: an input cannot be used.
        UsageError: both are the same file.
    """
    if isinstance(first, str) and first == second:
        raise UsageError(
            f"both judgements are {quoted(first)}", hint="agreement needs the qrels of two assessors"
        )
    one, two = as_qrels(first), as_qrels(second)
    found = agreement(one, two, relevance_level=relevance_level)
    return AgreementDocument(**vars(found), tool=TOOL, environment=environment(), summary=_summary(found))


def _summary(found: Agreement) -> str:
    total, plain = found.total, found.total.unweighted
    if not total.documents:
        return "Nothing was compared: no document was judged by both assessors."
    same = sum(found.confusion[i][i] for i in range(len(found.levels)))
    text = f"Of the {total.documents:,} documents that both assessors judged, {same:,} got the same level."
    if plain.value is None:
        text += f" Cohen's kappa is undefined: {plain.note}"
    else:
        text += f" Cohen's kappa is {plain.value:.4f}: {plain.reading}."
        text += f" Weighted for near misses it is {total.linear.value:.4f} (linear)"
        text += f" and {total.quadratic.value:.4f} (quadratic)."
    if total.overlap is None:
        text += " Neither calls a document relevant, so there is no overlap."
    else:
        share = f"{100 * total.overlap:.1f}%"
        text += f" Both call relevant {share} of the documents that either does (overlap)."
    if alone := total.only_first + total.only_second:
        text += f" {alone:,} documents judged by one alone are left out."
    return text
