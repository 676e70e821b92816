"""Finding the conventions, or changes of the input, that give printed numbers; and estimating how many sets
of conventions give them by chance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import accumulate, chain, combinations
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes import axes
from crosscheck.axes.base import Stage
from crosscheck.axes.forms import UNIT, Unit
from crosscheck.axes.ids import IDS
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.summaries import RESULT_PRECISION, ROUNDING
from crosscheck.axes.ties import SCORE_PRECISION, TIES, Ties
from crosscheck.conventions import UNKNOWN, AxisValue, Conventions, Profile
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings, by_rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import PROOF_TOLERANCE, equal_numbers
from crosscheck.explain.search import single_changes
from crosscheck.measures import family
from crosscheck.model import Measure, Qrels, Run
from crosscheck.names import ways
from crosscheck.rankings.changed_inputs import with_rows
from crosscheck.rankings.pairing import Memo
from crosscheck.shown import tell

#: The predictions of a set of conventions: for each printed number, the value of each of its possible
#: measures.
_Predicted: TypeAlias = tuple[tuple[float | None, ...], ...]
#: Changes of conventions, as (axis, value) or ("", tool), and of the input, as ("input", its words).
_Changes: TypeAlias = frozenset[tuple[str, AxisValue]]

#: An answer is likelier than "the numbers are from a different run" if its :attr:`Guess.chance` is below this
#: limit, which is three times as high for a known tool on the user's input, and where trec_eval's own
#: conventions give some of the numbers. If no other tool or option fits, the second limit is that of a tool,
#: and the third that of another relevance level, an option of trec_eval. Of 90 numbers of other runs none had
#: such an answer, of 90 numbers of runs with slightly other scores 2 had one, and of 70 numbers of tools 63.
_MOST_CHANCE, _MOST_ALONE, _MOST_OPTION = 0.015, 0.5, 0.1
#: Predictions within this distance of a number (relative above 1) are used to estimate chance.
_NEAR = 0.02
#: Number of random orders of ties from which :attr:`Guess.by_order` is estimated.
_ORDERS = 24
#: Axes that are not tried: two of them hardly change a printed mean; percentages are detected beforehand.
_NOT_TRIED = {ROUNDING.name, RESULT_PRECISION.name, UNIT.name}
#: Numbers above trec_eval's values times this factor are percentages.
FAR = 20


class PrintedNumber(Struct, frozen=True):
    """A mean, or the value of one query, as it was printed.

    Attributes:
        decimals: number of printed decimals; None for full precision.
        measures: the measures whose value the number may be.
        run: the name of the run.
        query: the query whose value the number is; None for a mean.
    """

    value: float
    decimals: int | None
    measures: tuple[Measure, ...]
    run: str
    query: bytes | None = None

    def is_met(self, value: float | None) -> bool:
        """Whether a value would be printed as this number."""
        return value is not None and equal_numbers(self.value, value, PROOF_TOLERANCE, self.decimals)


_Numbers: TypeAlias = Sequence[PrintedNumber]
#: Name of a run -> the run and its qrels.
_Inputs: TypeAlias = Mapping[str, tuple[Run, Qrels]]


class Given(Struct, frozen=True):
    """An input to try: the user's input, or a change of it.

    Attributes:
        inputs: run name -> run and qrels.
        says: the change in words; empty for the user's input.
    """

    inputs: _Inputs
    says: str = ""


class _Set(Struct, frozen=True):
    """A set of conventions to try.

    Attributes:
        specs: measure -> its conventions.
        axes: names of the changed axes.
        changes: the changes that an answer is judged by: (axis, value) pairs, or the tool if there is one.
        tool: the known tool with these conventions; empty if there is none.
        partly: whether trec_eval computes the measures that the tool is not known to compute.
    """

    specs: dict[Measure, Conventions]
    axes: frozenset[str]
    changes: _Changes
    tool: str = ""
    partly: bool = False

    @property
    def key(self) -> frozenset[tuple[Measure, Conventions]]:
        """The conventions of the measures."""
        return frozenset(self.specs.items())


class Guess(Struct):
    """An answer: all sets of conventions, on one or several inputs, that predict the same values.

    Attributes:
        says: the change of the input in words; empty for the user's input.
        chosen: the likeliest of these sets, by which answers are sorted.
        shown: of these sets, on the same input, the one with the fewest axes; without axes that change
            nothing here.
        sets: the conventions of all these sets on the same input, that of ``shown`` among them.
        predicted: the predicted values.
        tools: names of the tools that have one of these sets.
        readings: for each printed number, the measure that gives it and the predicted value.
        chance: expected number of answers, up to and including this one, that give all numbers by chance.
            A number that is given without a change does not speak for the change; the change for which
            least speaks counts.
        same_run: whether trec_eval's own conventions give some of the numbers, which speaks for this run.
        by_order: the probability that a random order of tied documents gives all numbers; 0 if the answer
            does not change the order of ties.
    """

    says: str
    chosen: _Set
    predicted: _Predicted
    tools: list[str]
    shown: _Set
    sets: set[frozenset[tuple[Measure, Conventions]]]
    readings: list[tuple[Measure, float]] = []
    chance: float = 0.0
    by_order: float = 0.0
    same_run: bool = False

    @property
    def changed(self) -> _Changes:
        """The changes of the likeliest set, and that of the input."""
        return _with_input(self.chosen, self.says)

    @property
    def cost(self) -> int:
        """The number of changes. A change of the input counts as one change, and so do all changes of a known
        tool together; two tools count as two."""
        of_tool = 1 + self.chosen.partly
        return bool(self.says) + (of_tool if self.chosen.tool and self.chosen.axes else len(self.chosen.axes))

    @property
    def by_tool(self) -> bool:
        """Whether a known tool, or trec_eval itself, gives the numbers on the user's input."""
        return not self.says and bool((self.tools and not self.chosen.partly) or not self.cost)

    @property
    def order(self) -> tuple[int, bool, bool, int]:
        """Sort key of answers: fewest changes first; then known tools; then the user's input; then the
        likeliest axes."""
        likeliest = 0 if self.tools else sum(axes()[axis].priority for axis in self.chosen.axes)
        return self.cost, not self.tools, bool(self.says), likeliest

    def join(self, other: Guess) -> Guess:
        """Join two answers with the same predictions; the joint answer names the simpler set, of equals that
        on the user's input, and the other sets and their tools on the same input."""
        simpler, more = sorted(
            (self, other), key=lambda one: (one.cost, bool(one.says), len(one.chosen.axes), one.order)
        )
        if more.says == simpler.says:
            simpler.tools = [*dict.fromkeys([*simpler.tools, *more.tools])]
            simpler.shown = min(
                (simpler, more), key=lambda one: (len(one.shown.axes), one.shown is not one.chosen)
            ).shown
            simpler.sets |= more.sets
        simpler.chance = min(simpler.chance, more.chance)
        return simpler

    def is_part_of(self, other: Guess) -> bool:
        """Whether the shown conventions change a part of what those of another answer change, no more."""
        c0 = Conventions()
        ours, theirs = (
            {(m, *change) for m, c in one.shown.specs.items() for change in c.changes_from(c0).items()}
            for one in (self, other)
        )
        return self.says == other.says and ours < theirs

    def changes(self) -> tuple[dict[str, AxisValue], dict[Measure, dict[str, AxisValue]]]:
        """Axis -> changed value: first for the axes on which all measures that they affect agree, then, by
        measure, for all other axes."""
        specs = self.shown.specs
        own = {m: specs[m].changes_from(Conventions()) for m, _ in self.readings}
        every = chain.from_iterable(of.items() for of in own.values())

        def reads(measure: Measure, axis: str) -> bool:
            return axes()[axis].read_under(family(measure.family), specs[measure].plain)

        alike = {a: v for a, v in every if all(of.get(a) == v or not reads(m, a) for m, of in own.items())}
        return alike, {m: {a: v for a, v in of.items() if a not in alike} for m, of in own.items()}


class Guesses(Struct, frozen=True):
    """The results of :func:`explain_numbers`.

    Attributes:
        fitting: answers that give all printed numbers, likeliest first.
        tried: number of sets of conventions tried; distinct: number of different answers.
        by_chance: expected number of answers that give all numbers by chance.
        leading: number of answers in ``fitting`` that are likelier than a different run; see
            :data:`_MOST_CHANCE`.
        within_ties: whether all numbers lie between the values of the worst and the best order of tied
            documents, under conventions that are otherwise trec_eval's, whose own values are others.
        in_part: tool -> the measures that it is not known to compute, for tools that give all other numbers:
            at least two, and one of them unlike trec_eval.
        but_one: the likeliest answer on the user's input that gives all numbers but one, and the place of
            that number; None if there is none, or fewer than three numbers.
    """

    fitting: list[Guess]
    tried: int
    distinct: int
    by_chance: float
    leading: int
    within_ties: bool
    in_part: Mapping[str, list[Measure]]
    but_one: tuple[Guess, int] | None


def explain_numbers(
    numbers: Sequence[PrintedNumber],
    inputs: Sequence[Given],
    known: Mapping[str, Profile],
    progress: Callable[[str], None] = tell,
) -> Guesses:
    """Search the sets of conventions, and the changes of the input, that give all printed numbers.

    On the first input, known tools, changes of one axis and (if each number has a single possible measure)
    changes of two axes are tried; on every other input, known tools and changes of one axis.

    Args:
        inputs: the inputs to try; the first is the user's input.
        known: tool -> its profile.
    """
    answers, steps, in_part = dict[object, Guess](), list[float](), dict[str, list[Measure]]()
    predictions: dict[_Changes, _Predicted | None] = {}
    certain, tried = all(len(number.measures) == 1 for number in numbers), 0
    for number, given in enumerate(inputs):
        progress(f"{len(inputs) - number} inputs left, {tried:,} sets of conventions tried")
        trial = _Trial(numbers, given, known)
        steps = steps or [trial.step(number) for number in numbers]
        if number == 0:  # no change of the input is said beside these tools
            in_part = dict(trial.in_part())
        for one, predicted in trial.predictions(pairs=number == 0 and certain):
            tried += 1
            predictions.setdefault(_with_input(one, given.says), predicted)
            if predicted is None:
                continue
            key = _key(predicted)
            guess = Guess(given.says, one, predicted, [one.tool] if one.tool else [], one, {one.key})
            if one.tool and _readings(numbers, predicted):
                guess.shown = trial.needed(one)
                guess.sets.add(guess.shown.key)
            answers[key] = answers[key].join(guess) if key in answers else guess
    ordered = sorted(answers.values(), key=lambda answer: answer.order)
    own = predictions[frozenset()]
    shares = [_share(j, number, ordered, steps[j]) for j, number in enumerate(numbers)]
    alike, every = _alike(numbers, ordered), range(len(numbers))
    similar = _similar(numbers, ordered, steps, own, alike)

    met, like = dict[object, Guess](), defaultdict[_Changes, list[_Predicted]](list)
    for place, answer in enumerate(ordered, 1):
        parts = [answer.changed - {change} for change in answer.changed]
        for part in parts:
            like[part].append(answer.predicted)
        if readings := _readings(numbers, answer.predicted):
            needing = _unmet(numbers, own if parts else None)
            answer.readings, answer.same_run = readings, bool(parts) and len(needing) < len(numbers)
            # Answers are counted without trec_eval's own, if that gives the other numbers.
            answer.chance = (place - answer.same_run) * _joint(needing or every, shares, alike)
            if parts:
                answer.chance = max(answer.chance, similar[place - 1])
            for part in parts:  # the weakest change counts
                needing = _unmet(numbers, predictions.get(part, own))
                least = 0.0 if needing else 1.0  # nothing speaks for the change
                if needing and len(parts) > 1:
                    least = _expected(numbers, steps, like[part], needing, alike)
                answer.chance = max(answer.chance, least)
            same = tuple((measure, _rounded(value)) for measure, value in readings)
            met[same] = met[same].join(answer) if same in met else answer
    fitting = list(met.values())
    for tool in filter(lambda answer: answer.tools, met.values()):
        # What the tool changes beside a simpler answer is not needed: this is at least as likely.
        for simpler in fitting:
            if simpler.is_part_of(tool):
                simpler.chance = min(simpler.chance, tool.chance)
    _weigh_orders(numbers, fitting, ordered, {given.says: given.inputs for given in inputs}, steps)
    fitting.sort(key=lambda answer: (answer.chance, len(answer.shown.axes)))
    leading = max((place for place, answer in enumerate(fitting, 1) if _leads(answer)), default=0)
    level = {RELEVANCE_LEVEL.name} if certain else {""}  # trec_eval's option -l
    usual = [a for a in fitting if a.by_tool or (not a.says and a.shown.axes - {UNIT.name} == level)]
    if not leading and usual and usual[0].chance < (_MOST_ALONE if usual[0].by_tool else _MOST_OPTION):
        leading = int(all(answer.cost > usual[0].cost for answer in usual[1:]))
        fitting.sort(key=lambda answer: leading and answer is not usual[0])
    likeliest = fitting[0].chance if fitting else 0.0
    by_chance = max(len(ordered) * _joint(every, shares, alike), similar[-1], likeliest)
    ends = [predictions.get(frozenset({(TIES.name, ties)})) for ties in (Ties.WORST, Ties.BEST)]
    within = not (own and _readings(numbers, own)) and _within(numbers, *ends)
    here = ((answer, _unmet(numbers, answer.predicted)) for answer in ordered if not answer.says)
    but_one = next(((answer, left[0]) for answer, left in here if len(left) == 1 < len(numbers) - 1), None)
    return Guesses(fitting, tried, len(ordered), by_chance, leading, within, in_part, but_one)


def _weigh_orders(
    numbers: _Numbers,
    fitting: Sequence[Guess],
    answers: Sequence[Guess],
    inputs: Mapping[str, _Inputs],
    steps: Sequence[float],
) -> None:
    """Raise the chance of the fitting answers that need another order of ties to that of a random order. Done
    only if one of them leads.

    Args:
        answers: all answers.
        inputs: the input by its words.
    """
    untied = [answer for answer in fitting if TIES.name not in answer.shown.axes]
    tied, orders = (answer for answer in fitting if TIES.name in answer.shown.axes), Memo()
    of_ties = [answer for answer in tied if not any(simpler.is_part_of(answer) for simpler in untied)]
    for answer in of_ties if any(map(_leads, of_ties)) else ():
        specs = {measure: spec.having(TIES, Ties.INPUT) for measure, spec in answer.shown.specs.items()}
        views = [(measure, specs[measure]) for measure, _ in answer.readings]
        answer.by_order = orders.once(
            (answer.says, *views), partial(_by_order, numbers, inputs[answer.says], views, steps)
        )
        answer.chance = max(answer.chance, answer.by_order * _tie_rules(answer, answers))


def _with_input(one: _Set, says: str) -> _Changes:
    """The changes of a set, and that of the input."""
    return one.changes | {("input", says)} if says else one.changes


def _leads(answer: Guess) -> bool:
    """Whether an answer is likelier than a different run."""
    return answer.chance < _MOST_CHANCE * (3 if answer.by_tool or answer.same_run else 1)


def _tie_rules(answer: Guess, answers: Sequence[Guess]) -> int:
    """The number of answers that differ from an answer in the order of ties only, with itself; of answers by
    tools, if it is one."""
    others, by_tool = answer.shown.axes - {TIES.name}, bool(answer.tools)
    alike = (one.chosen.axes for one in answers if one.says == answer.says and bool(one.tools) >= by_tool)
    return max(sum(TIES.name in of and of - {TIES.name} == others for of in alike), 1)


def _by_order(
    numbers: _Numbers, inputs: _Inputs, views: Sequence[tuple[Measure, Conventions]], steps: Sequence[float]
) -> float:
    """The probability that a random order of tied documents gives all numbers. The values of some orders
    stand for the normal distribution of all.

    Args:
        views: for each number, its measure and the conventions, under which ties are in input order.
    """
    rng, rows = np.random.default_rng(0), list[list[float | None]]()
    for _ in range(_ORDERS):
        shuffled = {name: Rankings(_shuffled(run, rng), qrels) for name, (run, qrels) in inputs.items()}
        every = zip(numbers, views, strict=True)
        of = ((n, spec, Recomputer(shuffled[n.run], m, Conventions())) for n, (m, spec) in every)
        rows.append([view.value(spec, number.query) for number, spec, view in of])
    values = np.array(rows, np.float64)
    widths = np.maximum([_width(number) for number in numbers], steps)
    spread = np.atleast_2d(np.cov(values.T)) + np.diag(widths**2 / 12)
    apart = np.array([number.value for number in numbers]) - values.mean(axis=0)
    if not np.isfinite(values).all():
        return 0.0
    distance = apart @ np.linalg.solve(spread, apart) + np.linalg.slogdet(2 * np.pi * spread)[1]
    return min(math.exp(np.log(widths).sum() - distance / 2), 1.0)


def _shuffled(run: Run, rng: np.random.Generator) -> Run:
    """The run with the lines of each topic in a random order."""
    return with_rows(run, np.lexsort((rng.random(len(run.docnos)), run.topic_numbers)), run.offsets)


def _within(numbers: _Numbers, worst: _Predicted | None, best: _Predicted | None) -> bool:
    """Whether all numbers lie between two predictions."""
    for number, *ends in zip(numbers, worst or (), best or (), strict=False):
        values = [value for row in ends for value in row if value is not None]
        if not values or not min(values) - _width(number) <= number.value <= max(values) + _width(number):
            return False
    return worst is not None and best is not None


def _rounded(value: float | None) -> float | str | None:
    """A value as a part of a key: rounded, and NaN as text, because NaN is not equal to itself."""
    return "NaN" if value is not None and math.isnan(value) else value and round(value, 11)


def _key(predicted: _Predicted) -> tuple[object, ...]:
    """A key that is the same for predictions that differ by arithmetic only."""
    return tuple(tuple(map(_rounded, row)) for row in predicted)


def _readings(numbers: _Numbers, predicted: _Predicted) -> list[tuple[Measure, float]]:
    """For each printed number, the first measure that gives it and the predicted value; empty if some number
    is not given."""
    readings: list[tuple[Measure, float]] = []
    for number, row in zip(numbers, predicted, strict=True):
        of_row = zip(number.measures, row, strict=True)
        readings += [(m, v) for m, v in of_row if v is not None and number.is_met(v)][:1]
    return readings if len(readings) == len(numbers) else []


def _unmet(numbers: _Numbers, predicted: _Predicted | None) -> list[int]:
    """The indices of the numbers that an answer does not give."""
    return [j for j, n in enumerate(numbers) if not predicted or not any(map(n.is_met, predicted[j]))]


def _expected(
    numbers: _Numbers, steps: Sequence[float], every: Sequence[_Predicted], of: Sequence[int], alike: _Alike
) -> float:
    """How many of some predictions are expected to give certain numbers by chance: those near all of these
    numbers, times the probability that a value that is near is printed as the number."""
    rows = {tuple(predicted[j] for j in of) for predicted in every}
    every_row = (zip(of, row, strict=True) for row in rows)
    near = (all(any(_is_near(numbers[j], v) for v in values) for j, values in row) for row in every_row)
    return sum(near) * _joint(of, [*map(_hit, numbers, steps)], alike)


#: For each number and each number before it, the share of the answers near the earlier one that predict the
#: same for both.
_Alike: TypeAlias = list[list[float]]


def _alike(numbers: _Numbers, answers: Sequence[Guess]) -> _Alike:
    keys = [(_key(answer.predicted), answer.predicted) for answer in answers]
    near = [[key for key, of in keys if any(_is_near(n, v) for v in of[i])] for i, n in enumerate(numbers)]
    return [
        [sum(key[i] == key[j] for key in near[i]) / max(len(near[i]), 1) for i in range(j)]
        for j in range(len(numbers))
    ]


def _joint(which: Sequence[int], each: Sequence[float], alike: _Alike) -> float:
    """The probability that all these numbers are given by chance. A number that nearly always equals another
    one, as P@1 equals Success@1, tells hardly more than that one.

    Args:
        each: the probability for each number.
    """
    return math.prod(max([each[j], *(alike[j][i] for i in which if i < j)]) for j in which)


def _share(j: int, number: PrintedNumber, answers: Sequence[Guess], step: float) -> float:
    """Estimated probability that an answer gives a printed number by chance.

    It is the share of answers with a prediction near the number, times the probability that a value that is
    near is printed as this number.

    Args:
        j: index of the number.
        step: distance of the values that are possible at all; see :meth:`_Trial.step`.
    """
    values = chain.from_iterable(answer.predicted[j] for answer in answers)
    close = {_rounded(value) for value in values if _is_near(number, value)}
    return max(len(close), 1) / max(len(answers), 1) * _hit(number, step)


def _near(number: PrintedNumber) -> float:
    """The distance within which predictions are near a number."""
    return max(_NEAR, _NEAR * abs(number.value), _width(number) / 2)


def _is_near(number: PrintedNumber, value: float | None) -> bool:
    return value is not None and abs(value - number.value) <= _near(number)


def _hit(number: PrintedNumber, step: float) -> float:
    """The probability that a value near a number is printed as this number."""
    return min(max(_width(number), step) / (2 * _near(number)), 1.0)


def _width(number: PrintedNumber) -> float:
    """The width of the interval of values that would be printed as this number."""
    return 2 * PROOF_TOLERANCE if number.decimals is None else 10.0**-number.decimals


def _similar(
    numbers: _Numbers, answers: Sequence[Guess], steps: Sequence[float], own: _Predicted | None, alike: _Alike
) -> list[float]:
    """For each answer, how many answers up to it are expected to give the numbers of a run that is almost the
    user's: whose numbers are anywhere as near to trec_eval's as the printed ones.

    Most conventions change little, so the predictions are densest there.
    """
    apart, centres = 0.0, list[float]()
    for number, row in zip(numbers, own or [()] * len(numbers), strict=True):
        values = [value for value in row if value is not None and math.isfinite(value)]
        centres.append(min(values, key=lambda value: abs(value - number.value), default=math.inf))
        apart = max(apart, abs(centres[-1] - number.value) / (abs(number.value) or 1.0))
    if not math.isfinite(apart):
        return [0.0] * len(answers)
    near = [apart * abs(number.value) + _width(number) for number in numbers]
    steps = [max(_width(number), step) for number, step in zip(numbers, steps, strict=True)]
    shares = [min(step / (2 * size), 1.0) for step, size in zip(steps, near, strict=True)]
    share = _joint(range(len(numbers)), shares, alike)

    def close(answer: Guess) -> bool:
        rows = zip(answer.predicted, centres, near, strict=True)
        return all(any(v is not None and abs(v - c) <= size for v in row) for row, c, size in rows)

    return [count * share for count in accumulate(map(close, answers))]


def _filled(one: _Set, lacking: _Numbers, own: _Set) -> _Set:
    """The set, with the conventions of ``own`` for the measures of the numbers that it lacks."""
    more = {m: own.specs[m] for number in lacking for m in number.measures}
    return replace(one, specs=one.specs | more, partly=bool(more))


class _Trial:
    """Predicts printed numbers from one input under many sets of conventions."""

    def __init__(self, numbers: _Numbers, given: Given, known: Mapping[str, Profile]) -> None:
        self._numbers, self._known = numbers, known
        self._rankings = {number.run: Rankings(*given.inputs[number.run]) for number in numbers}
        self._turn_to(Conventions())
        # Axes without an effect on this input are not tried, unless ids may become equal, which changes much.
        early = [a for a in axes().values() if a.stage is Stage.READ or a in (TIES, SCORE_PRECISION)]
        idle = [axis for axis in early if not any(axis.gate(view).any() for view in self._views.values())]
        left_out = {axis.name for axis in idle if IDS in idle} | _NOT_TRIED
        measures = dict.fromkeys(measure for number in numbers for measure in number.measures)
        tried = [axis for name, axis in axes().items() if name not in left_out]
        self._read = {m: {axis.name for axis in tried if axis.read_by(family(m.family))} for m in measures}
        self._unit, self._made = dict[str, AxisValue](), Memo()
        if self._in_percent():
            self._unit = {UNIT.name: str(Unit.PERCENT)}

    def _in_percent(self) -> bool:
        """Whether all printed numbers are percentages, because they are far above trec_eval's values."""
        if not all(UNIT.read_by(view.family) for view in self._views.values()):
            return False
        predicted = self.own or ()
        return bool(predicted) and all(
            number.value > 1 and all(value is None or number.value > FAR * value for value in row)
            for number, row in zip(self._numbers, predicted, strict=True)
        )

    @property
    def own(self) -> _Predicted | None:
        """The values under trec_eval's conventions, in the unit of the numbers once that is known."""
        return self._predicted([self._changed({})])[0]

    def _turn_to(self, conventions: Conventions) -> None:
        """Prepare for these conventions: drop cached results if they read, order or judge the input
        differently."""
        turned = [rankings.turn_to(conventions) for rankings in self._rankings.values()]
        if any(turned):
            self._views = {
                (number.run, measure): Recomputer(self._rankings[number.run], measure, Conventions())
                for number in self._numbers
                for measure in number.measures
            }

    def step(self, number: PrintedNumber) -> float:
        """The distance between possible means of a measure, if all its values are multiples of 1 or of 1/k;
        else 0."""
        measure, *others = number.measures
        if others or number.query is not None:
            return 0.0
        result, k = self._views[number.run, measure].evaluated(Conventions()), measure.cutoff
        values = result.values[result.present]
        whole = next((n for n in (1, k or 1) if np.array_equal(values * n, np.round(values * n))), math.inf)
        return 1 / (whole * len(values)) if values.any() else 0.0

    def predictions(self, *, pairs: bool) -> Iterator[tuple[_Set, _Predicted | None]]:
        """Yield sets of conventions with their predictions: trec_eval's, then known tools, then single
        changes, and with ``pairs`` pairs of single changes that each change a prediction."""
        singles = self._single_changes()
        # For what a tool is not known to compute, another one was used: trec_eval.
        own, able = self._changed({}), ((one, of) for one, of in self._tools if one.changes or not of)
        tools = [_filled(one, lacking, own) for one, lacking in able]
        sets = [own, *tools, *map(self._changed, singles)]
        predicted = self._predicted(sets)
        yield from zip(sets, predicted, strict=True)
        # Of several single changes with the same effect, only the first is a part of pairs.
        distinct = dict[object, dict[str, AxisValue]]()
        for changes, effect in zip(singles, predicted[len(sets) - len(singles) :], strict=True):
            if pairs and effect not in (None, predicted[0]):
                distinct.setdefault(effect, changes)
        both = combinations(distinct.values(), 2)
        more = [self._changed({**a, **b}) for a, b in both if a.keys().isdisjoint(b)]
        yield from zip(more, self._predicted(more), strict=True)

    def _changed(self, changes: Mapping[str, AxisValue]) -> _Set:
        """The set with these changes for every measure."""
        return self._set(dict.fromkeys(self._read, changes))

    def _set(self, changes_of: Mapping[Measure, Mapping[str, AxisValue]], tool: str = "") -> _Set:
        """The set in which each measure has the changes that affect it. A measure with an unknown
        convention is left out.

        Args:
            changes_of: measure -> axis -> value.
        """
        specs, changed = dict[Measure, Conventions](), set[tuple[str, AxisValue]]()
        for measure, changes in changes_of.items():
            own = {axis: value for axis, value in changes.items() if axis in self._read[measure]}
            if UNKNOWN not in own.values():
                changed |= own.items()
                own |= self._unit
                specs[measure] = self._made.once(tuple(own.items()), partial(Conventions, **own))
        names = frozenset(axis for axis, _ in changed) | self._unit.keys()
        return _Set(specs, names, frozenset({("", tool)} if tool and changed else changed), tool)

    def needed(self, one: _Set) -> _Set:
        """A set without the axes that change no prediction here; the least likely axes are left out first."""
        (wanted,) = self._predicted([one])
        for axis in sorted(map(axes().__getitem__, one.axes), key=lambda axis: -axis.priority):
            left = {measure: spec.having(axis, axis.default) for measure, spec in one.specs.items()}
            less = self._set({m: c.changes_from(Conventions()) for m, c in left.items()}, one.tool)
            (found,) = self._predicted([less])
            if found is not None and wanted is not None and _key(found) == _key(wanted):
                one = less
        return one

    @cached_property
    def _tools(self) -> list[tuple[_Set, list[PrintedNumber]]]:
        """The set of each known tool, and the numbers whose measures the tool is not known to compute."""
        every = ways(self._known, list(self._read)).items()
        changes = {tool: {m: c.changes_from(Conventions()) for m, c in sets.items()} for tool, sets in every}
        tools = [self._set(changes_of, tool) for tool, changes_of in changes.items()]
        return [(t, [n for n in self._numbers if t.specs.keys().isdisjoint(n.measures)]) for t in tools]

    def in_part(self) -> Iterator[tuple[str, list[Measure]]]:
        """Yield the tools of :attr:`Guesses.in_part`."""
        own = self.own
        for one, lacking in self._tools:
            known = [place for place, number in enumerate(self._numbers) if number not in lacking]
            rows = self._predicted([one])[0] if lacking and len(known) > 1 else None
            if own is None or rows is None:
                continue
            met, by_trec_eval = (
                [any(map(self._numbers[place].is_met, of[place])) for place in known] for of in (rows, own)
            )
            if all(met) and not all(by_trec_eval):
                yield one.tool, [number.measures[0] for number in lacking]

    def _single_changes(self) -> list[dict[str, AxisValue]]:
        """Changes of one axis that can matter, likeliest first, as {axis: value}."""
        singles = dict.fromkeys(chain.from_iterable(map(single_changes, self._views.values())))
        changes = [spec.changes_from(Conventions()) for spec in singles]
        tried = [of for of in changes if _NOT_TRIED.isdisjoint(of)]
        return sorted(tried, key=lambda of: sum(axes()[axis].priority for axis in of))

    def _predicted(self, sets: Sequence[_Set]) -> list[_Predicted | None]:
        """For each set of conventions, the values that it predicts for the printed numbers; None for a set
        under which a measure cannot be computed."""
        every = list(dict.fromkeys(chain.from_iterable(one.specs.items() for one in sets)))
        predicted: dict[tuple[Measure, Conventions], list[float | None]] = {}
        for place in by_rankings([spec for _, spec in every]):
            measure, spec = every[place]
            self._turn_to(spec)
            with suppress(CrosscheckError):
                predicted[every[place]] = [self._value(n, measure, spec) for n in self._numbers]

        def rows(one: _Set) -> _Predicted | None:
            if not one.specs.items() <= predicted.keys():
                return None
            values = {of[0]: predicted[of] for of in one.specs.items()}
            return tuple(
                tuple(values[m][place] if m in values else None for m in number.measures)
                for place, number in enumerate(self._numbers)
            )

        return list(map(rows, sets))

    def _value(self, number: PrintedNumber, measure: Measure, spec: Conventions) -> float | None:
        """The value that conventions predict for a printed number if it is this measure."""
        view = self._views.get((number.run, measure))
        if view is None or measure not in number.measures or not view.possible(spec):
            return None
        return view.value(spec, number.query)
