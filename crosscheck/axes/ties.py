"""Axes of order: the sort key of a ranking, the order of equal scores, and unusual scores."""

from collections.abc import Sequence

from crosscheck.axes.base import Axis, AxisValue, Mask, PassedAs, Stage, Value, View


class Order(Value):
    """Sort key of a ranking."""

    SCORE = "score", "score"
    RANK_COLUMN = "rank-column", "the rank column"
    INPUT = "input", "line order"


def _order_options(view: View) -> Sequence[AxisValue]:
    return [Order.SCORE, Order.INPUT, *([Order.RANK_COLUMN] if view.has_ranks else [])]


ORDER: Axis[Order] = Axis(
    default=Order.SCORE,
    stage=Stage.ORDER,
    label="rank-order",
    priority=15,
    summary="the ranking follows the rank column or the input order instead of the scores",
    clause="documents are ordered by {}",
    contrast="documents are ordered by {found}, not by {base}",
    verb="ranks by {found}, not by {base}",
    prose="""\
trec_eval ignores the rank column and the order of the lines: it sorts by score. MS MARCO's script and many
notebooks use the rank column, trectools' nDCG the order of the lines. They agree only if the run is written
in order of score.""",
    qrels=("1 0 a 1", "1 0 b 0"),
    run=("1 Q0 b 1 1.0 tag", "1 Q0 a 2 2.0 tag"),
    means=(("RR", "", 1.0), ("RR", "order=rank-column", 0.5), ("RR", "order=input", 0.5)),
    says="RR = {} by score; {} by the rank column and by input order.",
    way_out="write lines and ranks in order of score.",
    needs="lines whose order, rank column and scores contradict each other",
    tried=_order_options,
    gate=lambda view: view.where_ranks_change(ORDER, _order_options(view)),
    fixed_when_passed=PassedAs.RANK_ORDER,
)


class BestScore(Value):
    """The score that is ranked first."""

    HIGHEST = "highest", "highest"
    LOWEST = "lowest", "lowest"


BEST_SCORE: Axis[BestScore] = Axis(
    default=BestScore.HIGHEST,
    stage=Stage.ORDER,
    priority=46,
    summary="the document with the lowest score is ranked first",
    clause="the {} score is ranked first",
    verb="ranks the {found} score first, not the {base}",
    prose="""\
trec_eval ranks the highest score first. A distance is best where it is lowest, and code that sorts without
reversing ranks the lowest score first too. Tied documents are ordered as ever.""",
    qrels=("1 0 a 1", "1 0 b 0"),
    run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
    means=(("RR", "", 1.0), ("RR", "best_score=lowest", 0.5)),
    says="RR = {} with the highest score first; {} with the lowest.",
    way_out="sort by descending score; write a distance d as the score -d.",
    needs="relevant documents near the top or the end of a ranking",
    gate=lambda view: _where_scores_matter(view, BEST_SCORE),
    fixed_when_passed=PassedAs.RANK_ORDER,
)


class ScorePrecision(Value):
    """Precision in which scores are compared: single or double."""

    FLOAT32 = "float32", "float32"
    FLOAT64 = "float64", "float64"


def _where_scores_matter(view: View, axis: Axis[BestScore] | Axis[ScorePrecision]) -> Mask:
    if view.conventions[ORDER] is not Order.SCORE or (axis is SCORE_PRECISION and view.same_in_float32()):
        return view.nowhere
    return view.where_ranks_change(axis, list(axis.values))


SCORE_PRECISION: Axis[ScorePrecision] = Axis(
    default=ScorePrecision.FLOAT32,
    stage=Stage.ORDER,
    priority=14,
    summary="scores are compared in single (float32) or in double precision",
    clause="scores are compared as {}",
    verb="compares scores as {found}, not as {base}",
    prose="""\
trec_eval 9 and pytrec_eval read scores as float32: two scores that differ only beyond the seventh digit are
tied there, and the docno decides. trec_eval 10, ranx and most Python code compare doubles.""",
    qrels=("1 0 a 1", "1 0 b 0"),
    run=("1 Q0 a 1 1.00000001 tag", "1 Q0 b 2 1.0 tag"),
    means=(("RR", "score_precision=float64", 1.0), ("RR", "", 0.5)),
    says="RR = {} in double precision; in float32 the scores tie, b is first, and RR = {}.",
    way_out="write scores that differ in float32, or the negated rank.",
    needs="scores that differ in double precision and are equal in float32",
    gate=lambda view: _where_scores_matter(view, SCORE_PRECISION),
    fixed_when_passed=PassedAs.RANK_ORDER,
)


class Ties(Value):
    """Order of documents with equal scores.

    ``docid-...``: by docno, highest (``desc``) or lowest (``asc``) first, compared by bytes, or with
    ``natural``: runs of digits as numbers; ``folded``: without regard to letter case; ``numeric``: integers
    as numbers, before all other docnos; ``length``: by the number of characters first.

    ``best`` and ``worst``: the highest and the lowest value of any order; ``average``: the mean over all
    orders; ``group-end``: precision is taken at the end of each group of tied documents. These four do not
    order documents. A family of measures defines its value under each of them; if no value is known, the
    measure cannot be computed.

    ``quicksort``: the order after numba's quicksort, which is input order up to 15 documents, and shuffled
    beyond; ``quicksort-twice``: the order after a second quicksort of the result.
    """

    DOCID_DESC = "docid-desc", "by docno, descending", "ties by docno descending"
    DOCID_ASC = "docid-asc", "by docno, ascending", "ties by docno ascending"
    INPUT = "input", "in input order", "ties in the order of the run file"
    REVERSE_INPUT = "reverse-input", "in reverse input order"
    RANK_COLUMN = "rank-column", "by the rank column"
    BEST = "best", "relevant documents first"
    WORST = "worst", "relevant documents last"
    AVERAGE = "average", "by averaging over all their orders"
    GROUP_END = "group-end", "as one group, with the precision at its end"
    QUICKSORT = "quicksort", "in the order left by numba's quicksort (shuffled from 16 documents on)"
    QUICKSORT_TWICE = (
        "quicksort-twice",
        "in the order left by numba's quicksort run twice (shuffled from 16 documents on)",
    )
    DOCID_NATURAL_DESC = "docid-natural-desc", "by docno, with runs of digits as numbers, highest first"
    DOCID_NATURAL_ASC = "docid-natural-asc", "by docno, with runs of digits as numbers, lowest first"
    DOCID_FOLDED_DESC = "docid-folded-desc", "by docno, without regard to letter case, highest first"
    DOCID_FOLDED_ASC = "docid-folded-asc", "by docno, without regard to letter case, lowest first"
    DOCID_NUMERIC_DESC = "docid-numeric-desc", "by docno, integers as numbers, highest first"
    DOCID_NUMERIC_ASC = "docid-numeric-asc", "by docno, integers as numbers, lowest first"
    DOCID_LENGTH_DESC = "docid-length-desc", "by docno, by length first, highest first"
    DOCID_LENGTH_ASC = "docid-length-asc", "by docno, by length first, lowest first"

    @property
    def docno_order(self) -> str | None:
        """The way in which docnos are compared, such as ``natural``; None for an order by bytes or not by
        docno."""
        parts = self.value.split("-")
        return parts[1] if parts[0] == "docid" and len(parts) == 3 else None

    @property
    def by_docno(self) -> bool:
        """Whether tied documents are ordered by their docnos."""
        return self.value.startswith("docid")

    @property
    def descending(self) -> bool:
        """Whether this is an order by docno with the highest docno first."""
        return self.value.endswith("-desc")


#: The values that do not order documents; each family of measures defines its value under them.
WITHOUT_ORDER = frozenset({Ties.BEST, Ties.WORST, Ties.AVERAGE, Ties.GROUP_END})


def _ties_options(view: View) -> Sequence[AxisValue]:
    by_rank = [Ties.RANK_COLUMN] if view.has_ranks else []
    rules = [Ties.INPUT, *by_rank, Ties.DOCID_ASC, Ties.DOCID_DESC, Ties.REVERSE_INPUT]
    allowed = [rule for rule in (Ties.WORST, Ties.BEST, Ties.AVERAGE, Ties.GROUP_END) if view.allows(rule)]
    # Further values are tried only if they differ on this run from the value that they are mapped to here.
    # If no ties change a value, no order has to be compared.
    matters = view.family.detailed or view.tied_unlike(score_precision=ScorePrecision.FLOAT32).any()
    like = {t: Ties.DOCID_DESC if t.descending else Ties.DOCID_ASC for t in Ties if matters and t.docno_order}
    like |= dict.fromkeys((Ties.QUICKSORT, Ties.QUICKSORT_TWICE), Ties.INPUT)
    return [*rules, *allowed, *view.reordering(like)]


def _ties_gate(view: View) -> Mask:
    if view.conventions[ORDER] is Order.INPUT:
        return view.nowhere
    # Ties in single precision, so that this axis and score_precision can be changed together.
    matters = view.tied_unlike(score_precision=ScorePrecision.FLOAT32)
    # All ties matter, if precision at the end of a group may be tried, which differs even if all documents of
    # the group are relevant; or if documents of the same level may be relevant to different subtopics.
    if view.allows(Ties.GROUP_END) or view.family.detailed:
        matters = matters | view.tied(ties=Ties.AVERAGE, score_precision=ScorePrecision.FLOAT32)
    return matters


def _ties_doubtful(view: View) -> Mask:
    # Scores that are equal only in float32 are not tied in a tool that compares doubles.
    if view.conventions[SCORE_PRECISION] is not ScorePrecision.FLOAT32:
        return view.nowhere
    as_doubles = view.tied_unlike(score_precision=ScorePrecision.FLOAT64)
    if view.family.detailed:
        as_doubles = as_doubles | view.tied(ties=Ties.AVERAGE, score_precision=ScorePrecision.FLOAT64)
    return ~as_doubles


TIES: Axis[Ties] = Axis(
    default=Ties.DOCID_DESC,
    stage=Stage.ORDER,
    label="tie-breaking",
    priority=10,
    summary="documents with equal scores are in another order",
    clause="documents with equal scores are ordered {}",
    contrast="ties are ordered {found} instead of {base}",
    verb="orders tied documents {found}, not {base}",
    prose="""\
trec_eval orders documents with equal scores by docno, descending, regardless of the order in the file. Most
other tools keep input order, sort docnos ascending or as people do (d9 before d10, a beside A), or use an
unstable sort. ranx uses numba's quicksort, which keeps input order in lists of up to 15 documents and
shuffles longer ones; numpy's argsort without kind="stable" follows no rule and differs by processor. If a
group of tied documents holds both relevant and nonrelevant ones, the measure depends on that choice. If no
rule gives the values, the label means that some order of the tied documents gives exactly the value of each
query; this is consistent with the values and proves no rule.""",
    qrels=("1 0 a 1", "1 0 b 0"),
    run=("1 Q0 a 1 0.5 tag", "1 Q0 b 2 0.5 tag"),
    means=(("RR", "", 0.5), ("RR", "ties=input", 1.0)),
    says="trec_eval ranks b before a: RR = {}. A tool that keeps input order ranks a first: RR = {}.",
    way_out="write runs without ties, or break them before writing and document the rule.",
    needs=(
        "tied scores whose docnos (of mixed length and case, with numbers), rank column and line order"
        " disagree, some in lists of 16 and more"
    ),
    tried=_ties_options,
    gate=_ties_gate,
    doubtful=_ties_doubtful,
    doubt=5,  # after score_precision
    fixed_when_passed=PassedAs.RANK_ORDER,
)


class SpecialScores(Value):
    """Treatment of unusual scores.

    ``nan-last``: NaN ranks below all numbers. ``nan-keeps-place``: as in a sort by the running Python, in
    which no comparison with NaN is true (Python 3.13 places some documents differently from 3.12).
    ``nonpositive-dropped``: documents with a score of 0 or below are treated as not retrieved.
    """

    NAN_LAST = "nan-last", "every score counts, and a NaN is last"
    NAN_KEEPS_PLACE = "nan-keeps-place", "a NaN keeps its place in the sort"
    NONPOSITIVE_DROPPED = "nonpositive-dropped", "documents with a score of 0 or below count as not retrieved"


def _special_scores_options(view: View) -> Sequence[AxisValue]:
    positive = view.has_all("scores above 0", lambda run: not (run.scores <= 0).any())
    dropped = [] if positive else [SpecialScores.NONPOSITIVE_DROPPED]
    numbers = view.has_all("scores that are numbers", lambda run: not (run.scores != run.scores).any())
    return [*dropped, *[SpecialScores.NAN_KEEPS_PLACE] * (not numbers), SpecialScores.NAN_LAST]


SPECIAL_SCORES: Axis[SpecialScores] = Axis(
    default=SpecialScores.NAN_LAST,
    stage=Stage.READ,
    priority=25,
    summary="documents with a score of 0 or below are dropped, or a NaN score is ranked elsewhere",
    contrast="{found} (reference: {base})",
    prose="""\
trec_eval ranks any score, also negative ones. torchmetrics (since 2025) counts a relevant document with a
score of 0 or below as nonrelevant; a run of log probabilities then scores 0 everywhere. A NaN is last in
trec_eval and keeps its place in Python's sort.""",
    qrels=("1 0 a 1", "1 0 b 1"),
    run=("1 Q0 a 1 -1.0 tag", "1 Q0 b 2 -2.0 tag"),
    means=(("AP", "", 1.0), ("AP", "special_scores=nonpositive-dropped", 0.0)),
    says="AP = {}; {} where scores of 0 or below count as not retrieved.",
    way_out="shift scores above 0, and never write NaN.",
    needs="scores of 0 or below on relevant documents",
    tried=_special_scores_options,
    gate=lambda view: view.where_rows(lambda run: ~(run.scores > 0)),
    fixed_when_passed=PassedAs.RANK_ORDER,
)
