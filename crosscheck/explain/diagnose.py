"""The diagnosis of values that differ: labels of the causes, the strength of the evidence, and an
explanation."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from msgspec import UNSET, Struct
from msgspec.structs import replace

from crosscheck.axes.ids import IDS, Ids
from crosscheck.axes.summaries import AVERAGING, MAX_ULP, RESULT_PRECISION, QuerySet, ResultPrecision
from crosscheck.compare import Differences, align, differ, equal
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.errors import count
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import count_elsewhere, summary_of_total
from crosscheck.explain.doubts import doubts
from crosscheck.explain.evidence import PROOF_TOLERANCE, SINGLE, Evidence, constant, in_single_precision
from crosscheck.explain.labels import causes
from crosscheck.explain.recognising import as_changed, factor, in_words, recognised
from crosscheck.explain.screens import part_of
from crosscheck.explain.search import NEEDED_ON, Explanation, Search
from crosscheck.explain.space import Changes
from crosscheck.explain.ties import TieOrders, ends_of_mean
from crosscheck.measures.arithmetic import sequential_sum
from crosscheck.model import BoolArray, MeasureValues, Scores
from crosscheck.results import Alternative, Diagnosis, Recognised, Strength, without_cause

#: What a candidate has that gives nothing.
_NO_VALUE = "no value for any query"


class Question(Struct, eq=False, dict=True):
    """The differing values of a candidate for one measure, with what is needed to explain them.

    Attributes:
        situation, differences, candidate, likely, beside: as for :func:`diagnose`.
        zeros_count: whether each query that has the value 0 counts in the mean; if not, 0 may also be printed
            for a query that has no value.
        observed: the candidate's values over all topics.
        search: the search for conventions that give the values.
        considered: mask of the queries for which the candidate or the reference has a value.
        mismatching: mask of the queries that differ.
        differing: the number of queries that differ.
        constant: ``['0.5 for every query']`` if at least three queries have a value and differ, and all have
            the same value, here 0.5; ``['no value for any query']``; else empty.
        foreign: differing topics that are in neither run nor qrels, so that nothing can reproduce them.
        leak: whether the candidate's mean is not the mean of its values.
        orders: the comparison with the values of all orders of tied documents.
    """

    situation: Recomputer
    differences: Differences
    candidate: MeasureValues
    likely: Mapping[str, AxisValue]
    beside: Sequence[Evidence] = ()
    zeros_count: bool = True

    def __post_init__(self) -> None:
        situation, topics = self.situation, self.situation.topics
        differing = set(compress(self.differences.topics, ~self.differences.match))
        self.observed = align(self.candidate, topics)
        self.leak = self.candidate.one_by_one and leaks(situation, self.observed)
        self.mismatching = np.fromiter((t in differing for t in topics), np.bool_, len(topics))
        self.foreign = tuple(sorted(differing - set(topics)))
        self.differing = int(self.mismatching.sum())
        held = self.observed.values[self.observed.present]
        nothing = [] if len(held) else [_NO_VALUE]
        enough = min(self.differing, len(held) or NEEDED_ON) >= NEEDED_ON
        self.constant = (constant(held) or nothing) if enough else []
        evidence = Evidence.of(situation, self.candidate, judge_mean=not self.leak)
        evidence = replace(evidence, of_means=not self.zeros_count)
        self.search = Search(evidence, self.mismatching, self.beside)
        either = situation.evaluated(situation.base).present | self.observed.present
        self.considered = either & evidence.judge_cells
        self.orders = TieOrders(situation, self.observed)

    @cached_property
    def single(self) -> Explanation:
        """The change to single precision."""
        return self.search.explanation((RESULT_PRECISION, ResultPrecision.FLOAT32))


def is_noise(question: Question) -> bool:
    """Whether no value is missing and every difference is so small that only the precision of arithmetic
    explains it: a few units in the last place, or the error of single precision."""
    differences, observed = question.differences, question.observed
    if differences.missing.any() or not differences.mismatch.any():
        return False
    if in_single_precision(observed.values[observed.present]):
        ours, theirs = differences.reference.values, differences.candidate.values
        mean, own = differences.reference_mean or 0.0, differences.candidate_mean or 0.0
        alike = differences.mean_match or abs(mean - own) <= SINGLE * abs(mean)
        return alike and bool(np.all(np.abs(ours - theirs) <= SINGLE * np.abs(ours)))
    ulp = differences.ulp[differences.mismatch]
    return differences.mean_match and bool(np.all((ulp >= 0) & (ulp <= MAX_ULP)))


def leaks(situation: Recomputer, observed: Scores) -> bool:
    """Whether the candidate's mean is not the mean of its values, for any plausible way to average and any
    plausible number of queries."""
    if observed.mean is None or not observed.present.any():
        return False
    about, rankings = situation.family, situation.rankings
    total = sequential_sum(observed.values[observed.present])
    if math.isnan(total):
        return False
    if about.is_sum:
        elsewhere = (count_elsewhere(about, rankings, situation.relevance_level, of) for of in QuerySet)
        means: list[float | None] = [total + count for count in elsewhere]
    else:
        topics = (rankings.pairing.qrels.topics, rankings.pairing.run.topics)
        counts = {int(observed.present.sum()), *map(len, topics)}
        means = [summary_of_total(total, about.aggregate, count) for count in counts]
        others = AVERAGING.other_options(situation) if AVERAGING.gate(situation).any() else ()
        bases = (situation.base.with_changes(averaging=other) for other in others)
        means += [replace(situation, base=base).mean_of(observed.values) for base in bases]
    known = [mean for mean in means if mean is not None]
    theirs = np.full(len(known), observed.mean)
    return not equal(np.asarray(known), theirs, PROOF_TOLERANCE, observed.decimals).any()


#: Maximum number of axes that one explanation may change.
MAX_AXES = 4

#: Values are those of other queries if at most one in so many that differ is not.
_ONE_IN = 10

#: Number of changed axes -> minimum number of differing queries that a partial explanation must give.
_FOR_PART = {1: 2, 2: 2, 3: 6, 4: 12}

TIES = "tie-breaking"
LEAK = "cross-query-leak"
UNEXPLAINED = "unexplained"


class Answer(Struct, frozen=True, eq=False):
    """An explanation of a candidate's values, or of a part of them.

    Attributes:
        labels: labels of the causes.
        used: the explanations that the answer consists of.
        others: further explanations that give all values as well.
        tied: mask of the queries whose value some order of the tied documents gives.
        caveat: why the strength is not higher.
        tried: number of sets of conventions tried; 0 if they were not counted.
        rivals: names of formulas that give all values as well.
    """

    strength: Strength
    labels: list[str]
    used: Sequence[Explanation]
    others: Sequence[Explanation]
    tied: BoolArray
    caveat: str = ""
    tried: int = 0
    rivals: Sequence[str] = ()


def whole(question: Question, most: int = MAX_AXES) -> Answer | None:
    """The answer if some set of conventions with at most ``most`` changed axes reproduces everything; else
    None. Of the sets with the fewest changes, the likeliest is used."""
    explanations = [] if question.foreign else question.search.smallest(most)
    if not explanations:
        return None
    explanations.sort(key=lambda e: not e.axes.items() <= question.likely.items())
    tried = question.search.choices.tried(len(explanations[0].changes))
    return explained(question, explanations[0].labels + [LEAK] * question.leak, explanations, tried)


def noise(question: Question) -> Answer:
    """The answer for differences in the last bits. It names single precision if that gives exactly all
    values."""
    single, observed = question.single, question.observed
    values = question.situation.evaluated(single.conventions).values
    exact = observed.present.any() and (values == observed.values)[observed.present].all()
    return explained(question, [RESULT_PRECISION.label], [single] if exact else [], 1)


def by_order(question: Question) -> Answer | None:
    """The answer if every differing value is given by some order of the tied documents, and the mean follows
    from the values; else None."""
    if question.foreign or not question.differing or not (question.leak or _mean_follows(question)):
        return None
    if not all(question.orders.give(query) for query in np.flatnonzero(question.mismatching).tolist()):
        return None
    answer = explained(question, [TIES] + [LEAK] * question.leak)
    return replace(answer, strength="consistent", tied=question.mismatching)


def _mean_follows(question: Question) -> bool:
    """Whether the candidate's mean is the mean of its values as the reference averages, within the precision
    to which they are printed."""
    situation, observed = question.situation, question.observed
    if observed.mean is None:
        return True
    printed = 0.0 if observed.decimals is None else 0.5 * 10.0**-observed.decimals
    low, high = (situation.mean_of(observed.values + step) for step in (-printed, printed))
    if low is None or high is None:
        return False
    if math.isnan(observed.mean):
        return math.isnan(low)
    room = printed + float(question.search.evidence.slack.max(initial=PROOF_TOLERANCE))
    return low - room <= observed.mean <= high + room


_OF_OTHERS = "these are the reference's values of other queries: check that ids and values belong together"


def piecewise(question: Question) -> Answer:
    """The answer if no single set of conventions gives all values: different sets explain different queries,
    and orders of tied documents explain others."""
    search, left = question.search, question.mismatching & question.search.evidence.differing
    several = len(np.unique(question.observed.values[question.mismatching])) >= NEEDED_ON
    if several and search.judge_cells and (words := as_changed(search.evidence, question.situation.base)):
        return replace(unexplained(question), caveat=words)
    agreeing = question.considered & ~question.mismatching
    used: list[Explanation] = []
    for size in range(1, MAX_AXES + 1) if search.judge_cells else ():
        # An explanation must keep the values of agreeing queries. No explanation helps a query whose value is
        # missing for a reason that no axis expresses.
        if (left & search.reachable).sum() < _FOR_PART[size]:
            break
        consistent = search.partial_of_size(size, agreeing)
        while consistent and left.any():
            best = max(consistent, key=lambda e: int((e.reproduced & left).sum()))
            gained = best.reproduced & left
            if gained.sum() < _FOR_PART[size]:
                break
            used.append(best)
            left &= ~gained
    settled = used or question.foreign or not (search.judge_cells and agreeing.any())
    if (some := None if settled else _of_some(question)) is not None:
        used.append(some)
        left &= ~some.reproduced
    exchanged = _exchanged(question)
    if exchanged and not (used or question.leak):
        return replace(unexplained(question), caveat=_OF_OTHERS)
    answers = {query: question.orders.give(query) for query in np.flatnonzero(left).tolist()}
    tied = question.situation.nowhere
    tied[[query for query, given in answers.items() if given]] = True
    labels = [label for e in used for label in e.labels] + [TIES] * bool(tied.any())
    labels += [LEAK] * question.leak
    if (left & ~tied).any() or question.foreign or not used:
        labels.append(UNEXPLAINED)
    told = np.any([search.evidence.differing, *(e.reproduced for e in used)], axis=0)
    if (question.mismatching & ~told & question.single.reproduced).any():
        used, labels = [*used, question.single], [RESULT_PRECISION.label, *labels]
    undecided = sum(given is None for given in answers.values())
    caveat = ""
    if some is not None:
        others = count(int((agreeing & ~some.reproduced).sum()), "other query")
        caveat = f"{others} would change too, where the values are the reference's"
    elif exchanged:
        caveat = _OF_OTHERS
    elif not used and several and (times := factor([search.evidence], question.situation.base)):
        caveat = times
    elif undecided and 2 * undecided >= question.differing:
        where = "" if undecided == question.differing == 1 else f" in {undecided:,} of the queries"
        caveat = f"ties present{where}: it cannot be decided whether some order gives the value"
    elif not search.judge_cells and _mean_between(question):
        caveat = "ties present: the mean lies between the means under the worst and the best order"
    strength: Strength = "per-query" if used else "none"
    return Answer(strength, list(dict.fromkeys(labels)), used, [], tied, caveat)


def _of_some(question: Question) -> Explanation | None:
    """The one or two changes that are proved by the queries that differ, although they would change some that
    agree: they are made for some queries only. None if there are none."""
    situation, agree = question.situation, ~question.mismatching
    without = set(compress(situation.topics, agree.tolist()))
    values = {topic: v for topic, v in question.candidate.values.items() if topic not in without}
    rest = replace(question.candidate, values=values, mean=None)
    some = Question(without_queries(situation, without), question.differences, rest, question.likely)
    answer = None if some.search.complete(some.search.explanation()) else whole(some, 2)
    proved = answer is not None and answer.strength == "proved"
    return question.search.explanation(*answer.used[0].changes) if answer and proved else None


def _exchanged(question: Question) -> bool:
    """Whether the values of the candidate are those of the reference for different queries, but for one in
    ten of the queries that differ. There must be several different values, or values that no other query
    has."""
    observed, base = question.observed, question.situation.evaluated(question.situation.base)
    places = 9 if observed.decimals is None else observed.decimals
    theirs, ours = (Counter(of.values[of.present].round(places).tolist()) for of in (observed, base))
    values = np.unique(observed.values[question.mismatching].round(places))
    rare = bool(values.any()) and all(ours[value] == 1 for value in values[values != 0].tolist())
    enough = len(values) > NEEDED_ON or (rare and question.differing > 1)
    return enough and _ONE_IN * (theirs - ours).total() <= question.differing


def _mean_between(question: Question) -> bool:
    """Whether the candidate's mean lies between the means under the worst and the best order of tied
    documents."""
    mean, ends = question.observed.mean, ends_of_mean(question.situation)
    return mean is not None and ends is not None and ends[0] < ends[1] and ends[0] <= mean <= ends[1]


def unexplained(question: Question) -> Answer:
    """The answer if no conventions give the values; it says whether all queries have the same value."""
    same = question.constant
    nothing_found = same in (constant(np.zeros(1)), [_NO_VALUE])
    swapped = ", as where qrels and run are swapped or no id matches" if nothing_found else ""
    caveat = f"the candidate has {same[0]}{swapped}" if same else ""
    return Answer("none", [UNEXPLAINED], [], [], question.situation.nowhere, caveat, rivals=same)


def explained(
    question: Question, labels: list[str], proofs: Sequence[Explanation] = (), tried: int = 0
) -> Answer:
    """An answer that explains all values: ``proved`` if there is no doubt, else ``consistent`` with a caveat.

    Args:
        proofs: the explanations that give all values, the one to use first.
        tried: number of sets of conventions tried.
    """
    fits = f"{len(proofs):,} of {tried:,} sets of conventions {'gives' if len(proofs) == 1 else 'give'}"
    asked = sum(int(evidence.differing.sum()) for evidence in question.search.beside)
    strength: Strength = "consistent"
    rivals: list[str] = []
    if question.leak:
        caveat = "the mean is not the mean of these values"
    elif not question.search.judge_cells:
        caveat = f"{fits} this mean, or it is another run"
    elif not question.differing:
        caveat = f"no query differs, only the mean: {fits} it"
    elif question.differing + asked < NEEDED_ON:
        number = question.differing
        caveat = "only 1 query differs" if number == 1 else f"only {number} queries differ"
    else:
        caveat, rivals = doubts(question.search, proofs, tried) if proofs else ("", [])
        strength = "consistent" if caveat or not question.zeros_count else "proved"
    if not question.zeros_count:
        caveat = ", ".join(filter(None, (caveat, "if 0 is printed for queries that have no value")))
    return Answer(strength, labels, proofs[:1], proofs[1:], question.situation.nowhere, caveat, tried, rivals)


class Diagnosed(Struct, frozen=True, eq=False):
    """A diagnosis, with the causes for each query.

    Attributes:
        labels: topic id -> labels of the causes, for every topic that differs.
        conventions: topic id -> the conventions that reproduce its value, for topics where any do.
        formula: the conventions with the recognised formula; None if none is.
    """

    diagnosis: Diagnosis
    labels: dict[bytes, list[str]]
    conventions: dict[bytes, Conventions]
    formula: Conventions | None = None


#: A recognised measure or formula, with the conventions under which it gives the values.
_Known: TypeAlias = tuple[Recognised, Conventions]
#: The labels of the causes by topic.
_Labels: TypeAlias = Mapping[bytes, list[str]]


def recorded(question: Question, answer: Answer, known: _Known | None = None) -> Diagnosed:
    """The diagnosis with the content of an answer and the recognised formula, and the labels of every
    differing query."""
    situation, all_topics = question.situation, question.situation.topics
    complete = answer.strength in ("proved", "consistent")
    labels: dict[bytes, list[str]] = {topic: [UNEXPLAINED] for topic in question.foreign}
    conventions: dict[bytes, Conventions] = {}
    for i in np.flatnonzero(question.mismatching).tolist():
        topic = all_topics[i]
        explanation = next((e for e in answer.used if e.reproduced[i]), None)
        if explanation is not None:
            labels[topic] = [cause.label for cause, _ in _smallest(situation, explanation, i)]
            conventions[topic] = explanation.conventions
        elif complete:
            labels[topic] = answer.labels[:1]
        else:
            labels[topic] = [TIES] if answer.tied[i] else [UNEXPLAINED]
    given = np.any([~question.mismatching, answer.tied, *(e.reproduced for e in answer.used)], axis=0)
    axes = answer.used[0].axes if answer.used else {}
    named = [explanation.but_for_ranks for explanation in answer.used]  # the words say which ranks fit
    causes = in_report_order(answer.labels, labels, conventions)
    diagnosis = Diagnosis(
        strength=answer.strength,
        causes=causes,
        conventions=axes,
        reproduced=int((question.considered & (given | complete)).sum()),
        of=int(question.considered.sum()) + len(question.foreign),
        alternatives=[Alternative(e.labels, e.axes) for e in answer.others if e.but_for_ranks not in named],
        explanation=_in_words(question, answer, causes, labels, known),
        separate_by=_separating(answer.used, answer.others),
        fits=len(answer.used) + len(answer.others) if answer.tried else 0,
        tried=answer.tried,
        rivals=list(answer.rivals),
        reference_conventions={axis: situation.conventions.plain(axis) for axis in axes},
        recognised=known[0] if known else UNSET,
    )
    return Diagnosed(diagnosis, labels, conventions, known[1] if known else None)


def in_report_order(causes: Sequence[str], labels: _Labels, sets: Mapping[bytes, Conventions]) -> list[str]:
    """The causes in the order of reports. ``unexplained`` comes first if it is one of them and no single
    explanation gives the values of more than half of the differing queries; then other causes are only hints.

    Args:
        labels, sets: by topic, as the labels and conventions of :class:`Diagnosed`.
    """
    parts = Counter(sets.get(topic) for topic, of in labels.items() if of != [UNEXPLAINED])
    open_still = UNEXPLAINED in causes and 2 * max(parts.values(), default=0) <= len(labels) > 0
    return list(dict.fromkeys([UNEXPLAINED] * open_still + [*causes]))


def _smallest(situation: Recomputer, explanation: Explanation, query: int) -> Changes:
    """The change of an explanation that alone gives the value of this query, as a tuple; all changes if no
    change does so alone."""
    if len(explanation.changes) < 2:
        return explanation.changes
    target = situation.evaluated(explanation.conventions)
    for change in explanation.changes:
        by_itself = situation.base.with_changes(**{change[0].name: change[1]})
        if not situation.possible(by_itself):
            continue
        alone = situation.evaluated(by_itself)
        same = equal(alone.values[[query]], target.values[[query]], PROOF_TOLERANCE, None)[0]
        if same and alone.present[query] == target.present[query]:
            return (change,)
    return explanation.changes


#: What is unexplained where there are several values: a set may well give one of them.
_ONE_VALUE = "many conventions and many bugs do that"
_NO_SET = "no set of conventions that crosscheck knows gives all of these values, so suspect a bug"


def _in_words(
    question: Question, answer: Answer, ordered: Sequence[str], labels: _Labels, known: _Known | None
) -> str:
    """The explanation of an answer in words. ``ordered``: labels of the causes; ``labels``: labels by topic;
    ``known``: the other measure that gives the values."""
    base, clauses, first = question.situation.conventions, list[str](), list[str]()
    described = {label for e in answer.used for label in e.labels}
    if known:
        one = known[0]
        first.append(f"all {one.values:,} values are those of {in_words(one.formula, one.conventions)}")
        described.add(UNEXPLAINED)
    elif ordered[0] == UNEXPLAINED and len(ordered) > 1:
        number = sum(of == [UNEXPLAINED] for of in labels.values())
        clauses.append(f"no convention explains {number:,} of {len(labels):,} queries")
        described.add(UNEXPLAINED)
    changes = [change for explanation in answer.used for change in explanation.changes]
    clauses += [cause.describe(base.plain(cause.name), value) for cause, value in changes]
    clauses += _open_ranks(answer)
    if tied := int(answer.tied.sum()):
        where = "" if tied == 1 else f", in each of {tied:,} queries"
        clauses.append(f"some order of the tied documents gives exactly this value{where}")
        described.add(TIES)
    for label in ordered:
        several = label == UNEXPLAINED and question.considered.sum() > 1
        if label not in described:
            no_set = _ONE_VALUE if question.constant else _NO_SET
            clauses.append(no_set if several else causes()[label].summary)
    if known and UNEXPLAINED not in ordered:
        clauses[0] = f"or {clauses[0]}"
    ending = [answer.caveat]
    if not known and ordered == [UNEXPLAINED]:  # what is seen says more than that no convention fits
        first, ending = ending, []
    return "; ".join(filter(None, (*first, *dict.fromkeys(clauses), *ending))) + "."


def _open_ranks(answer: Answer) -> Iterator[str]:
    """Yield, for each axis of ranks whose number the values leave open, the numbers that fit."""
    for one in answer.used if answer.others else ():
        alike = [e.axes for e in (one, *answer.others) if e.but_for_ranks == one.but_for_ranks]
        for cause, _ in one.changes:
            if cause.of_ranks:
                fitting = sorted({value for axes in alike if isinstance(value := axes[cause.name], int)})
                if len(fitting) > 1:
                    yield f"any {cause.name} from {fitting[0]:,} to {fitting[-1]:,} fits"


def _separating(chosen: Sequence[Explanation], others: Sequence[Explanation]) -> str | None:
    """A sentence on the input that would distinguish the chosen explanations from the others; None if there
    are no others."""
    if not others:
        return None
    known = {label: value for e in chosen for label, value in zip(e.labels, e.axes.values(), strict=True)}
    every = [(e, cause, value) for e in (*chosen, *others) for cause, value in e.changes]
    needs = dict.fromkeys(c.needs for e, c, value in every if known.get(c.label) != value or e not in chosen)
    return "an input with " + "; and ".join(filter(None, needs)) + " would tell them apart"


def left_out(situation: Recomputer, candidate: MeasureValues) -> frozenset[bytes]:
    """The queries that have a value in the reference and none in the candidate, if no change of conventions
    explains why.

    A change explains it if every query with a value in the candidate keeps a value, and at least half of the
    missing values are removed (an output that ends early may also lose queries without relevant documents,
    which a change removes); or all of them, if fewer than three queries keep a value, as many changes allow
    that. Empty if reference and candidate have no query in common, or the candidate spells ids differently.
    """
    topics = situation.topics
    present = align(candidate, topics).present
    ours = situation.evaluated(situation.base).present
    lost, kept = ours & ~present, ours & present
    if not lost.any() or not kept.any() or not candidate.values.keys() <= set(topics):
        return frozenset()
    most = int(lost.sum()) // 2 if kept.sum() >= NEEDED_ON else 0
    for there in Search(Evidence.of(situation, candidate), lost).presences():
        if there[kept].all() and (left := lost & there).sum() <= most:
            lost, most = left, int(left.sum()) - 1
            if most < 0:
                return frozenset()
    return frozenset(topics[i] for i in np.flatnonzero(lost).tolist())


def without_queries(situation: Recomputer, without: Collection[bytes]) -> Recomputer:
    """The same recomputer without the queries ``without``."""
    if not without:
        return situation
    others = [i for i, topic in enumerate(situation.topics) if topic not in without]
    return Recomputer(part_of(situation.rankings, others), situation.measure, situation.base)


def _in_part(inner: Diagnosis) -> Strength:
    """The strength of a diagnosis beside something that it leaves unexplained."""
    return "per-query" if inner.causes and inner.strength != "none" else "none"


def _with_left_out(
    without: Collection[bytes], differences: Differences, rest: Diagnosed, why: str
) -> Diagnosed:
    """The diagnosis of all queries: the queries that the candidate leaves out are ``unexplained``, all others
    are as in ``rest``.

    Args:
        without: the queries that the candidate leaves out.
        why: the reason, in words.
    """
    inner = rest.diagnosis
    queries = "1 query" if len(without) == 1 else f"{len(without):,} queries"
    words = f"no value for {queries} of {len(differences.topics):,}, {why}"
    labels = rest.labels | {t: [UNEXPLAINED] for t in without}
    if not inner.causes:
        words = f"{words}; the others agree."
    elif 2 * len(without) < len(labels):
        words = f"{inner.explanation.removesuffix('.')}; {words}."
    else:
        words = f"{words}; {inner.explanation}"
    diagnosis = replace(
        inner,
        strength=_in_part(inner),
        causes=in_report_order([*inner.causes, UNEXPLAINED], labels, rest.conventions),
        of=inner.of + len(without),
        explanation=words,
    )
    return Diagnosed(diagnosis, labels, rest.conventions, rest.formula)


def with_matched_ids(candidate: MeasureValues, topics: tuple[bytes, ...]) -> tuple[Ids, MeasureValues] | None:
    """The rule by which the candidate's query ids match the ids of run and qrels, and the candidate's values
    under these ids.

    None if all ids of the candidate are in ``topics``, or if no rule matches each unknown id with a different
    topic without a value.
    """
    foreign = candidate.values.keys() - set(topics)
    free = [topic for topic in topics if topic not in candidate.values]
    for ids in (rule for rule in Ids if rule is not Ids.EXACT and foreign):
        spelt = {ids.of_query(topic): topic for topic in free}
        topic_of = {topic: spelt.get(ids.of_query(topic)) for topic in sorted(foreign)}
        known = [topic for topic in topic_of.values() if topic is not None]
        if len(spelt) == len(free) and len(set(known)) == len(foreign):
            values = {topic_of.get(topic) or topic: value for topic, value in candidate.values.items()}
            return ids, replace(candidate, values=values)
    return None


def _with_other_spelling(
    ids: Ids, differences: Differences, candidate: MeasureValues, rest: Diagnosed
) -> Diagnosed:
    """The diagnosis of a candidate that spells query ids differently: the axis ``ids``, and the causes in
    ``rest``.

    Args:
        ids: the rule that makes the ids equal.
        differences: the differences before the ids were matched.
        candidate: the candidate's values under the ids of the run.
        rest: the diagnosis of these values.
    """
    inner = rest.diagnosis
    values = np.array(list(candidate.values.values()), np.float64)
    several = differences.missing.sum() >= 2 * NEEDED_ON and len(np.unique(values)) > 1
    caveat = "" if several else "; only a few queries, or the same value for all, show it"
    words = f"{IDS.describe(Ids.EXACT, ids)}, and the candidate names queries by different ids"
    others = f"; {inner.explanation.removesuffix('.')}" if inner.causes else ""
    diagnosis = replace(
        inner,
        strength=inner.strength if several or inner.strength != "proved" else "consistent",
        causes=list(dict.fromkeys([IDS.label, *inner.causes])),
        conventions={IDS.name: ids.value} | inner.conventions,
        explanation=f"{words}{others}{caveat}.",
        reference_conventions={IDS.name: Ids.EXACT.value} | inner.reference_conventions,
    )
    differing = compress(differences.topics, ~differences.match)
    labels = {topic: list(dict.fromkeys([IDS.label, *rest.labels.get(topic, [])])) for topic in differing}
    return Diagnosed(diagnosis, rest.labels | labels, rest.conventions, rest.formula)


def diagnose(
    situation: Recomputer,
    differences: Differences,
    candidate: MeasureValues,
    likely: Mapping[str, AxisValue] = MappingProxyType({}),
    without: Collection[bytes] = (),
    beside: Sequence[Evidence] = (),
) -> Diagnosed:
    """Explain why a candidate differs from the reference.

    Args:
        situation: the run, the measure and the conventions that reproduce the reference.
        differences: the differences between reference and candidate; there must be some.
        candidate: the candidate's values.
        likely: changed axes that explain other measures of the candidate. Of several sets that fit, sets that
            change only these axes come first.
        without: queries that the candidate leaves out in other measures, without an explanation by
            conventions.
        beside: the candidate's values on other inputs, which must be explained as well.
    """
    if (known := with_matched_ids(candidate, situation.topics)) is not None:
        ids, candidate = known
        rest = _of_the_rest(situation, differences, candidate, likely)
        return _with_other_spelling(ids, differences, candidate, rest)
    situation = without_queries(situation, without)
    own = left_out(situation, candidate) if differences.missing.any() else frozenset()
    if not (without or own):
        return _diagnosed(Question(situation, differences, candidate, likely, beside))
    lost, candidate = own.union(without), replace(candidate, mean=None)
    rest = _of_the_rest(without_queries(situation, own), differences, candidate, likely, lost)
    unknown = "which no convention explains (is the output complete?)"
    why = f"because {candidate.refusal}" if candidate.refusal else unknown
    return _with_left_out(lost, differences, rest, why)


def _of_the_rest(
    situation: Recomputer,
    differences: Differences,
    candidate: MeasureValues,
    likely: Mapping[str, AxisValue],
    lost: Collection[bytes] = (),
) -> Diagnosed:
    """The diagnosis after a first cause is taken into account: of values under changed ids, or without the
    queries ``lost``, or without the mean. It has no cause if reference and candidate then agree."""
    ours = differences.reference
    values = zip(differences.topics, ours.values.tolist(), ours.present.tolist(), strict=True)
    own = {topic: value for topic, value, there in values if there and topic not in lost}
    reference = MeasureValues(own, None if candidate.mean is None else ours.mean, "reference", ours.decimals)
    left = differ(reference, candidate, aggregate=situation.family.aggregate)
    if not left.agree:
        return _diagnosed(Question(situation, left, candidate, likely))
    number = len(left.topics)
    agreeing = replace(without_cause(number, ""), strength="proved", causes=[], reproduced=number)
    return Diagnosed(agreeing, {}, {})


def _without_mean(question: Question) -> Diagnosed:
    """The diagnosis of values whose mean is not theirs, by any way to average: the mean is ``unexplained``,
    the values are explained without it."""
    candidate = replace(question.candidate, mean=None)
    rest = _of_the_rest(question.situation, question.differences, candidate, question.likely)
    inner, about = rest.diagnosis, question.situation.family
    present = question.observed.values[question.observed.present]
    total = sequential_sum(present)
    own = total if about.is_sum else summary_of_total(total, about.aggregate, len(present))
    means = question.observed.mean, own
    digits = next((d for d in range(4, 17) if len({f"{mean:.{d}f}" for mean in means}) > 1), 17)
    words = "its mean {} is not that of its own values, {}".format(*(f"{mean:.{digits}f}" for mean in means))
    words = f"{words}; {inner.explanation}" if inner.causes else f"{words}."
    causes = list(dict.fromkeys([UNEXPLAINED, *inner.causes]))
    diagnosis = replace(inner, strength=_in_part(inner), causes=causes, explanation=words)
    return Diagnosed(diagnosis, rest.labels, rest.conventions, rest.formula)


def _diagnosed(question: Question) -> Diagnosed:
    """The diagnosis of a candidate that knows all query ids and leaves out no queries."""
    if is_noise(question):
        return recorded(question, noise(question))
    if question.leak and not (question.differing or question.foreign):
        return recorded(question, explained(question, [LEAK]))
    if not question.foreign and question.search.complete(question.search.explanation()):
        # The reference's conventions give these values within the tolerance of a proof: the difference is one
        # of arithmetic, but larger than noise.
        return recorded(question, unexplained(question))
    if question.constant:  # "the same value for every query" is a simpler explanation than two changes
        return recorded(question, whole(question, 1) or unexplained(question))
    answer, known = whole(question) or by_order(question), None
    if not question.foreign and question.search.judge_cells:
        by_ties = answer is not None and bool(answer.tied.any())
        beside = None if answer is None or by_ties else max((len(e.changes) for e in answer.used), default=0)
        known = recognised(question.search.every, beside)
        if by_ties:  # an order for each query says less than a formula for all, under any rule for ties
            formulas = {one.partition(" with ")[0] for one in known[0].rivals} if known else set()
            firm = known and (known[0].strength == "proved" or formulas == {known[0].formula})
            answer, known = (None, known) if firm else (answer, None)
        if answer is not None and known:  # with fewer changes
            rival = f"{in_words(known[0].formula, known[0].conventions)} would do as well"
            answer = replace(answer, strength="consistent", caveat=answer.caveat or rival)
        if answer is None and not (known or question.leak or _mean_follows(question)):
            answer = whole(replace(question, zeros_count=False))
            if answer is None and leaks(question.situation, question.observed):
                return _without_mean(question)
    if answer is None:
        answer = unexplained(question) if known else piecewise(question)
    return recorded(question, answer, known)
