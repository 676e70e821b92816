"""The order of documents with equal scores."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, PassedAs, Stage, View
from crosscheck.axes.order import ORDER, Order
from crosscheck.axes.score_precision import SCORE_PRECISION, ScorePrecision

__all__ = ["TIES", "WITHOUT_ORDER", "Ties"]


class Ties(StrEnum):
    """Order of documents with equal scores.

    ``docid``: by docno, highest or lowest first, compared by bytes; ``natural``: runs of digits as numbers;
    ``folded``: without regard to letter case; ``numeric``: integers as numbers, before all others;
    ``length``: by the number of characters. ``best`` and ``worst``: the highest and the lowest value that any
    order gives; ``average``: the mean over all orders; ``group-end``: precision is taken at the end of each
    group. These four do not order documents: a family of measures defines its value under them, and refuses
    those for which none is known. ``quicksort``: numba's quicksort: input order up to 15 documents, shuffled
    beyond; ``quicksort-twice``: run a second time on its result.
    """

    DOCID_DESC = "docid-desc"
    DOCID_ASC = "docid-asc"
    INPUT = "input"
    REVERSE_INPUT = "reverse-input"
    RANK_COLUMN = "rank-column"
    BEST = "best"
    WORST = "worst"
    AVERAGE = "average"
    GROUP_END = "group-end"
    QUICKSORT = "quicksort"
    QUICKSORT_TWICE = "quicksort-twice"
    DOCID_NATURAL_DESC = "docid-natural-desc"
    DOCID_NATURAL_ASC = "docid-natural-asc"
    DOCID_FOLDED_DESC = "docid-folded-desc"
    DOCID_FOLDED_ASC = "docid-folded-asc"
    DOCID_NUMERIC_DESC = "docid-numeric-desc"
    DOCID_NUMERIC_ASC = "docid-numeric-asc"
    DOCID_LENGTH_DESC = "docid-length-desc"
    DOCID_LENGTH_ASC = "docid-length-asc"

    @property
    def docno_order(self) -> str | None:
        """The comparison of an order by docno that does not compare bytes (``natural``, ...), else None."""
        parts = self.value.split("-")
        return parts[1] if parts[0] == "docid" and len(parts) == 3 else None

    @property
    def by_docno(self) -> bool:
        """Whether tied documents are ordered by their docnos."""
        return self.value.startswith("docid")

    @property
    def descending(self) -> bool:
        """Whether this is an order by docno with the highest first."""
        return self.value.endswith("-desc")


#: Comparisons of docnos other than by their bytes.
_COMPARED = {
    "natural": "with runs of digits as numbers",
    "folded": "without regard to letter case",
    "numeric": "integers as numbers",
    "length": "by length first",
}
#: The orders by docno that use one of these comparisons, in words.
_BY_DOCNO: dict[str, str] = {
    ties: f"by docno, {_COMPARED[ties.docno_order]}, {'highest' if ties.descending else 'lowest'} first"
    for ties in Ties
    if ties.docno_order is not None
}


#: The rules that do not order documents; each measure defines its value under them.
WITHOUT_ORDER = frozenset({Ties.BEST, Ties.WORST, Ties.AVERAGE, Ties.GROUP_END})


def _options(view: View) -> Sequence[AxisValue]:
    by_rank = [Ties.RANK_COLUMN] if view.has_ranks else []
    rules = [Ties.INPUT, *by_rank, Ties.DOCID_ASC, Ties.DOCID_DESC, Ties.REVERSE_INPUT]
    of_measure = (Ties.WORST, Ties.BEST, Ties.AVERAGE, Ties.GROUP_END)
    allowed = [rule for rule in of_measure if view.allows(rule)]
    # Other orders by docno, if they differ here from those by bytes, and the sorts that keep input order in
    # short lists, if they do not keep it here.
    like = {
        ties: Ties.DOCID_DESC if ties.descending else Ties.DOCID_ASC
        for ties in Ties
        if ties.docno_order is not None
        # There may be no ties, or none that change a value.
        and (view.family.detailed or _matters(view, ScorePrecision.FLOAT32).any())
    }
    like |= dict.fromkeys((Ties.QUICKSORT, Ties.QUICKSORT_TWICE), Ties.INPUT)
    return [*rules, *allowed, *view.reordering(like)]


def _gate(view: View) -> Mask:
    if view.conventions[ORDER] is Order.INPUT:
        return view.nowhere
    # Ties at the coarser precision, so that this axis and score_precision can be changed together.
    matters = _matters(view, ScorePrecision.FLOAT32)
    # Precision at the end of a group differs even if all of its documents are relevant, and documents of the
    # same level can be relevant to different subtopics.
    if view.allows(Ties.GROUP_END) or view.family.detailed:
        matters = matters | view.tied(ties=Ties.AVERAGE, score_precision=ScorePrecision.FLOAT32)
    return matters


def _matters(view: View, precision: ScorePrecision) -> Mask:
    """Queries in which the best and the worst order of the tied documents differ."""
    return view.tied_unlike(score_precision=precision)


def _doubtful(view: View) -> Mask:
    # Scores that are equal in float32 only are not tied in a tool that keeps doubles.
    if view.conventions[SCORE_PRECISION] is not ScorePrecision.FLOAT32:
        return view.nowhere
    as_doubles = _matters(view, ScorePrecision.FLOAT64)
    if view.family.detailed:
        as_doubles = as_doubles | view.tied(ties=Ties.AVERAGE, score_precision=ScorePrecision.FLOAT64)
    return ~as_doubles


TIES = Axis(
    name="ties",
    default=Ties.DOCID_DESC,
    stage=Stage.ORDER,
    position=2,
    label="tie-breaking",
    priority=10,
    summary="documents with equal scores are in another order",
    phrases={
        Ties.DOCID_DESC: "documents with equal scores are ordered by docno, highest first",
        Ties.DOCID_ASC: "documents with equal scores are ordered by docno, lowest first",
        Ties.INPUT: "documents with equal scores keep the order of the run file",
        Ties.REVERSE_INPUT: "documents with equal scores take the reverse order of the run file",
        Ties.RANK_COLUMN: "documents with equal scores are ordered by the rank column",
        Ties.BEST: "documents with equal scores take the order that gives the highest value",
        Ties.WORST: "documents with equal scores take the order that gives the lowest value",
        Ties.AVERAGE: "documents with equal scores take every order, and the values are averaged",
        Ties.GROUP_END: "documents with equal scores are one group, and precision is taken at its end",
        Ties.QUICKSORT: (
            "documents with equal scores are in the order left by numba's quicksort, shuffled from 16"
            " documents on"
        ),
        Ties.QUICKSORT_TWICE: (
            "documents with equal scores are in the order left by numba's quicksort run twice"
        ),
        **{ties: f"documents with equal scores are ordered {words}" for ties, words in _BY_DOCNO.items()},
    },
    contrast="ties are ordered {found} instead of {base}",
    verb="orders tied documents {found}, not {base}",
    short={
        Ties.DOCID_DESC: "by docno, descending",
        Ties.DOCID_ASC: "by docno, ascending",
        Ties.INPUT: "in input order",
        Ties.REVERSE_INPUT: "in reverse input order",
        Ties.RANK_COLUMN: "by the rank column",
        Ties.BEST: "relevant documents first",
        Ties.WORST: "relevant documents last",
        Ties.AVERAGE: "by averaging over all their orders",
        Ties.GROUP_END: "as one group, with the precision at its end",
        Ties.QUICKSORT: "in the order left by numba's quicksort (shuffled from 16 documents on)",
        Ties.QUICKSORT_TWICE: (
            "in the order left by numba's quicksort run twice (shuffled from 16 documents on)"
        ),
        **_BY_DOCNO,
    },
    cited={
        Ties.DOCID_DESC: "ties by docno descending",
        Ties.DOCID_ASC: "ties by docno ascending",
        Ties.INPUT: "ties in the order of the run file",
    },
    prose="""\
trec_eval orders documents with equal scores by docno, descending, regardless of the order in the file. Most
other tools keep input order, sort docnos ascending or as people do (d9 before d10, a beside A), or use an
unstable sort. ranx uses numba's quicksort, which keeps input order in lists of up to 15 documents and
shuffles longer ones; numpy's argsort without kind="stable" follows no rule and differs by processor. If a
group of tied documents holds both relevant and nonrelevant ones, the measure depends on that choice. If no
rule gives the values, the label means that some order of the tied documents gives exactly the value of each
query; this is consistent with the values and proves no rule.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 0"),
        run=("1 Q0 a 1 0.5 tag", "1 Q0 b 2 0.5 tag"),
        values=(("RR", "", 0.5), ("RR", "ties=input", 1.0)),
        says="trec_eval ranks b before a: RR = {}. A tool that keeps input order ranks a first: RR = {}.",
    ),
    way_out="write runs without ties, or break them before writing and document the rule.",
    needs=(
        "tied scores whose docnos (of mixed length and case, with numbers), rank column and line order"
        " disagree, some in lists of 16 and more"
    ),
    tried=_options,
    gate=_gate,
    doubtful=_doubtful,
    doubt=5,  # after score_precision
    fixed_when_passed=PassedAs.RANK_ORDER,
)
