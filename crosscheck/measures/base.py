"""The record of a measure family, and the parameters that families share."""

from collections.abc import Callable
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import numpy as np
from msgspec import Struct

from crosscheck.axes.base import Axis
from crosscheck.axes.forms import PERCENT, UNIT, Unit
from crosscheck.axes.gains import GAIN
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.model import Aggregate, FloatArray, IntArray, Measure, ParamValue
from crosscheck.rankings.judged import JudgedRankings

#: A function from judged rankings, conventions and a measure to an array with one value per topic.
Compute: TypeAlias = Callable[[JudgedRankings, Conventions, Measure], FloatArray]

#: Topic, rank and merit of documents. Merit is the number by which the tie rules ``best`` and ``worst`` order
#: tied documents. Documents that are not listed have merit 0.
Merits: TypeAlias = tuple[IntArray, IntArray, FloatArray]

P = TypeVar("P", bound=ParamValue)


class MeasureParameter(Struct, Generic[P], frozen=True):
    """A parameter of measures other than the cutoff, such as ``p`` in ``RBP(p=0.8)``.

    Attributes:
        default: the value if none is given; all values have its type. Only an example if the parameter is
            ``required``.
        text: the meaning of the parameter in one sentence; ``crosscheck explain`` prints it.
        share: whether the value must lie in [0, 1].
        required: whether a value must be given.
    """

    name: str
    default: P
    text: str
    share: bool = False
    required: bool = False

    def of(self, measure: Measure) -> P:
        """The value of this parameter in a measure."""
        value: Any = dict(measure.params).get(self.name, self.default)
        kind: Callable[[Any], P] = type(self.default)
        return kind(value)


REL = MeasureParameter("rel", 1, "lowest relevance level that counts as relevant")
#: ir_measures' ``judged_only`` (trec_eval ``-J``).
JUDGED_ONLY = MeasureParameter(
    "judged_only", False, "unjudged documents are taken out of the ranking first, and the others move up"
)
#: Custom gains: ``nDCG(gains={1:3,2:9})``, ``ndcg.1=3,2=9``.
_NO_GAINS: tuple[tuple[int, float], ...] = ()
GAINS = MeasureParameter(
    "gains",
    _NO_GAINS,
    "gain of each relevance level, as {1:3,2:9}; a level that is not named gains itself. They stand in"
    " place of the axis gain, so gain=exponential and the like change nothing beside them. As in trec_eval,"
    " gains less than 1 apart count as equal when the ideal list is made, which is wrong or empty then: give"
    " whole numbers",
)

#: trec_eval's default rank cutoffs.
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


class Tied(Struct, frozen=True, kw_only=True, eq=False):
    """Functions that compute a measure family under tie rules that do not order tied documents.

    Attributes:
        average: computes the mean of the measure over all orders of tied documents, exactly; None if no such
            formula is known.
        group_end: computes the measure with the precision at the end of each group of tied documents; None if
            the measure has no such form.
        merit: returns a merit per document. Sorting tied documents by descending merit gives the measure's
            highest value, by ascending merit its lowest. None if no merit does so in every case.
        unless: returns the setting, in words, under which the family has none of these forms; else None. None
            if there is no such setting.

    The functions take rankings in groups of tied documents (:attr:`JudgedRankings.tied`).
    """

    average: Compute | None = None
    group_end: Compute | None = None
    merit: Callable[[JudgedRankings, Conventions, Measure], Merits] | None = None
    unless: Callable[[Ties, Conventions, Measure], str | None] | None = None

    def form(self, ties: Ties) -> Callable[[JudgedRankings, Conventions, Measure], Any] | None:
        """The function above for a tie rule that does not order tied documents, None if there is none."""
        return {Ties.AVERAGE: self.average, Ties.GROUP_END: self.group_end}.get(ties, self.merit)


class Family(Struct, frozen=True, eq=False):
    """One family of measures. Each module of this package exports its families as ``FAMILIES``.

    Attributes:
        name: canonical name: the name in ir_measures or, if ir_measures lacks the measure, in trec_eval.
        compute: the formula (see :data:`Compute`). Topics without relevant documents get trec_eval's values.
        summary: a one-line description, such as "average precision".
        trec_eval: trec_eval's name without a cutoff; None if trec_eval has no such measure.
        trec_eval_cut: trec_eval's name with a cutoff, recall point or multiple of R; None if trec_eval has no
            such measure.
        trec_eval_defaults: the cutoffs that trec_eval uses if none are given.
        trec_eval_param: the parameter that trec_eval writes after the name (``set_F.0.5``), besides gains.
        trec_eval_since: the first version of trec_eval with the measure.
        cutoff: whether a cutoff ``@k`` is an error, optional or required.
        rel: whether ``(rel=n)`` is allowed.
        params: further parameters.
        at_parameter: the parameter written after ``@``.
        reads: the axes that the formula depends on, besides the axes that the flags below imply.
        retrieved: whether the value depends on the retrieved documents.
        ranked: whether the value depends on the order of the retrieved documents.
        pool: whether the value depends on judged documents that were not retrieved.
        nonrelevant: whether documents judged nonrelevant are treated differently from unjudged documents.
        relevance: whether the value depends on the relevance levels of documents.
        ratio: whether multiplying all gains by one factor leaves the value unchanged.
        to_r: whether the measure uses the first R documents of a ranking.
        elsewhere: for a sum over queries, what queries that are only in the qrels or only in the run add.
        aggregate: how trec_eval summarises the measure over topics.
        aliases: further spellings of the name.
        needs: the kind of judgements: relevance levels; levels per subtopic; levels by each group of judges
            (the measure is averaged over the groups); preferences.
        divisor: the denominator (per topic, or one for all topics) of a measure that is a sum over documents
            divided by a number.
        undefined_without_hits: whether a query has no value if none of the documents that the measure uses is
            relevant.
        tied: how to compute the measure if tied documents have no order; for ``ranked`` families only.
    """

    name: str
    compute: Compute
    summary: str
    trec_eval: str | None = None
    trec_eval_cut: str | None = None
    trec_eval_defaults: tuple[float, ...] = CUTOFFS
    trec_eval_param: str | None = None
    trec_eval_since: Literal["9.0.8", "10.0"] = "9.0.8"
    cutoff: Literal["none", "optional", "required"] = "none"
    rel: bool = True
    params: tuple[MeasureParameter[Any], ...] = ()
    at_parameter: str = "cutoff"
    reads: tuple[Axis[Any], ...] = ()
    retrieved: bool = True
    ranked: bool = True
    pool: bool = True
    nonrelevant: bool = False
    relevance: bool = True
    ratio: bool = True
    to_r: bool = False
    elsewhere: Literal["queries", "relevant", "retrieved"] | None = None
    aggregate: Aggregate = "mean"
    aliases: tuple[str, ...] = ()
    needs: Literal["levels", "subtopics", "groups", "preferences"] = "levels"
    undefined_without_hits: bool = False
    divisor: Callable[[JudgedRankings, Conventions, Measure], FloatArray | IntArray | int] | None = None
    tied: Tied = Tied()

    @property
    def parameters(self) -> dict[str, MeasureParameter[Any]]:
        """The parameters by name, including ``rel``, in the order in which names of measures have them."""
        return {parameter.name: parameter for parameter in ((REL,) if self.rel else ()) + self.params}

    @property
    def is_sum(self) -> bool:
        """Whether trec_eval's summary is the sum over topics."""
        return self.aggregate == "sum"

    def divisors(self, judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
        """The denominator of each topic; 1 if the measure has none."""
        divisor = 1 if self.divisor is None else self.divisor(judged, conventions, measure)
        return np.broadcast_to(divisor, judged.num_topics)

    @property
    def detailed(self) -> bool:
        """Whether the measure needs more than one relevance level per document."""
        return self.needs != "levels"

    @property
    def graded(self) -> bool:
        """Whether the measure distinguishes levels of relevant documents."""
        return self.relevance and not self.detailed and (GAIN in self.reads or not self.rel)


def in_unit(values: FloatArray, about: Family, conventions: Conventions) -> FloatArray:
    """Values multiplied by 100 if the conventions say percent. Sums and logarithms are not changed."""
    return values * PERCENT if conventions[UNIT] is Unit.PERCENT and about.aggregate == "mean" else values


def num_relevant(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> IntArray:
    """R, the number of relevant documents in the qrels, per topic."""
    return judged.num_rel(conventions[RELEVANCE_LEVEL])
