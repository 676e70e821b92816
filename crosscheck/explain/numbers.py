"""Sets of conventions, and changes of the input, that give printed numbers, and how many would by chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from crosscheck.axes import axes
from crosscheck.axes.forms import UNIT, Unit
from crosscheck.axes.summaries import RESULT_PRECISION, ROUNDING
from crosscheck.compare import equal
from crosscheck.conventions import AxisValue, Conventions, Profile
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings, by_rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import PROOF_TOLERANCE
from crosscheck.explain.search import single_changes
from crosscheck.model import Measure, Qrels, Run
from crosscheck.names import describes

#: The predictions of one set of conventions: for each number, the value of each of its measures.
_Predicted: TypeAlias = tuple[tuple[float | None, ...], ...]

#: An answer is likelier than "another run" if its :attr:`Guess.chance` is below this number.
MOST_CHANCE = 0.005
#: Distance, relative above 1, up to which a prediction counts as one that could have met the number.
_NEAR = 0.02
#: Axes that are not tried: two hardly change a printed mean, and percentages are detected beforehand.
_NOT_TRIED = {ROUNDING.name, RESULT_PRECISION.name, UNIT.name}
#: A number of more than so many times trec_eval's value is a percentage.
_FAR = 20


class PrintedNumber(Struct, frozen=True):
    """A mean, or the value of one query, as it was printed.

    Attributes:
        decimals: number of printed decimals, None for full precision.
        measures: the measures of which it may be a value; run: the name of the run.
        query: the query whose value it is, None for a mean.
    """

    value: float
    decimals: int | None
    measures: tuple[Measure, ...]
    run: str
    query: bytes | None = None

    def is_met(self, value: float) -> bool:
        """Whether a value is printed as this number."""
        ours, theirs = np.asarray([value]), np.asarray([self.value])
        return bool(equal(ours, theirs, PROOF_TOLERANCE, self.decimals)[0])

    @property
    def width(self) -> float:
        """Width of the interval of values that are printed as this number."""
        return 2 * PROOF_TOLERANCE if self.decimals is None else 10.0**-self.decimals


class Given(Struct, frozen=True):
    """An input to try.

    Attributes:
        inputs: run name -> run and qrels.
        says: the change made to the input in words, empty for the input as it was given.
    """

    inputs: Mapping[str, tuple[Run, Qrels]]
    says: str = ""


class Guess(Struct):
    """Sets of conventions that predict the same numbers on one input.

    Attributes:
        says: the change of the input in words.
        conventions: the likeliest set, as changes from trec_eval's; others: number of the other sets.
        cost: number of changes; a change of the input counts as one, and so do all those of a known tool.
        predicted: the predictions; tools: names of the profiles among the sets.
        readings: for each number, the measure that gives it and the predicted value.
        chance: expected number of answers, up to and including this one, that give the numbers by chance.
    """

    says: str
    conventions: dict[str, AxisValue]
    cost: int
    predicted: _Predicted
    tools: list[str] = []
    others: int = 0
    readings: list[tuple[Measure, float]] = []
    chance: float = 0.0

    @property
    def simplicity(self) -> tuple[int, int, tuple[int, bool, int]]:
        """Sort key: of several answers that predict the same numbers, the lowest is named."""
        return self.cost, len(self.conventions), self.order

    @property
    def order(self) -> tuple[int, bool, int]:
        """Sort key: fewest changes first, then the conventions of known tools, then the likeliest axes."""
        return self.cost, not self.tools, sum(axes()[axis].priority for axis in self.conventions)


class Guesses(Struct, frozen=True):
    """The results of :func:`explain_numbers`.

    Attributes:
        fitting: answers that give all numbers, likeliest first.
        tried: number of sets of conventions tried; distinct: number of answers with different predictions.
        by_chance: expected number of answers that fit by chance.
        leading: number of answers in ``fitting`` that are likelier than another run.
    """

    fitting: list[Guess]
    tried: int
    distinct: int
    by_chance: float
    leading: int


def explain_numbers(
    numbers: Sequence[PrintedNumber],
    inputs: Sequence[Given],
    known: Mapping[str, Profile],
    progress: Callable[[str], None] = lambda message: None,
) -> Guesses:
    """Search the sets of conventions, and the changes of the input, that give all printed numbers.

    On the first input, known tools, changes of one axis and (if each number has a single measure) changes of
    two axes are tried; on every other input, known tools and changes of one axis.

    Args:
        inputs: the inputs to try; the first is the input as it was given.
        known: profiles of tools by name.
    """
    answers: dict[object, Guess] = {}
    certain, tried = all(len(number.measures) == 1 for number in numbers), 0
    for number, given in enumerate(inputs):
        progress(f"{len(inputs) - number} inputs left, {tried:,} sets of conventions tried")
        trial = _Trial(numbers, given, known)
        for changes, tool, predicted in trial.predictions(pairs=number == 0 and certain):
            tried += 1
            if predicted is None:
                continue
            key = tuple(tuple(map(_rounded, row)) for row in predicted)
            cost = bool(given.says) + (1 if tool and changes else len(changes))
            found = Guess(given.says, changes, cost, predicted, [tool] if tool else [])
            if (same := answers.get(key)) is None:
                answers[key] = found
            else:
                better, worse = sorted((same, found), key=lambda one: one.simplicity)
                better.tools = [*dict.fromkeys([*same.tools, *found.tools])]
                better.others = same.others + (worse.conventions != better.conventions)
                answers[key] = better
    ordered = sorted(answers.values(), key=lambda answer: answer.order)
    share = math.prod(_share(j, number, ordered) for j, number in enumerate(numbers))
    met: dict[object, Guess] = {}
    for place, answer in enumerate(ordered, 1):
        if readings := _readings(numbers, answer):
            answer.readings, answer.chance = readings, place * share
            first = met.setdefault(tuple((measure, _rounded(v)) for measure, v in readings), answer)
            first.others += first is not answer
    fitting = list(met.values())
    leading = sum(answer.chance < MOST_CHANCE for answer in fitting)
    return Guesses(fitting, tried, len(ordered), len(ordered) * share, leading)


def _rounded(value: float | None) -> float | str | None:
    """A value such that equal predictions are equal: NaN is not equal to itself."""
    return "NaN" if value is not None and math.isnan(value) else value and round(value, 11)


def _readings(numbers: Sequence[PrintedNumber], answer: Guess) -> list[tuple[Measure, float]]:
    """For each number, its first measure that gives it, and the value; empty if some number has none."""
    found: list[tuple[Measure, float]] = []
    for number, row in zip(numbers, answer.predicted, strict=True):
        met = [
            (measure, value)
            for measure, value in zip(number.measures, row, strict=True)
            if value is not None and number.is_met(value)
        ]
        if not met:
            return []
        found.append(met[0])
    return found


def _share(j: int, number: PrintedNumber, answers: Sequence[Guess]) -> float:
    """Estimated probability that an answer gives number ``j`` by chance: the share of distinct predictions
    near the number, times the probability that a value so near is printed as it."""
    near = max(_NEAR, _NEAR * abs(number.value))
    close = {
        round(value, 11)
        for answer in answers
        for value in answer.predicted[j]
        if value is not None and abs(value - number.value) <= near
    }
    return max(len(close), 1) / max(len(answers), 1) * min(number.width / (2 * near), 1.0)


class _Trial:
    """One input on which sets of conventions are tried."""

    def __init__(self, numbers: Sequence[PrintedNumber], given: Given, known: Mapping[str, Profile]) -> None:
        self._numbers, self._known = numbers, known
        self._rankings = {number.run: Rankings(*given.inputs[number.run]) for number in numbers}
        self._turn_to(Conventions())
        self._read = {
            axis.name
            for axis in axes().values()
            if any(axis.read_by(view.family) for view in self._views.values())
        } - _NOT_TRIED
        self._unit: dict[str, AxisValue] = {}
        if self._in_percent():
            self._unit = {UNIT.name: str(Unit.PERCENT)}

    def _in_percent(self) -> bool:
        """Whether all numbers are percentages: far above trec_eval's values."""
        if not all(UNIT.read_by(view.family) for view in self._views.values()):
            return False
        predicted = self._predicted([{}])[0] or ()
        return bool(predicted) and all(
            number.value > 1 and all(value is None or number.value > _FAR * value for value in row)
            for number, row in zip(self._numbers, predicted, strict=True)
        )

    def _turn_to(self, conventions: Conventions) -> None:
        """Drop the cached results of conventions that read, order or judge the input in another way."""
        turned = [rankings.turn_to(conventions) for rankings in self._rankings.values()]
        if any(turned):
            self._views = {
                (number.run, measure): Recomputer(self._rankings[number.run], measure, Conventions())
                for number in self._numbers
                for measure in number.measures
            }

    def predictions(self, *, pairs: bool) -> Iterator[tuple[dict[str, AxisValue], str, _Predicted | None]]:
        """The changed axes of each set, the name of its profile (or an empty string), and its predictions:
        first trec_eval's conventions, then tools, single changes, and, with ``pairs``, pairs of single
        changes that each change a prediction."""
        singles = self._single_changes()
        sets = [({}, ""), *self._of_tools(), *((changes, "") for changes in singles)]
        predicted = self._predicted([changes for changes, _ in sets])
        for (changes, tool), row in zip(sets, predicted, strict=True):
            yield changes | self._unit, tool, row
        distinct = dict[object, dict[str, AxisValue]]()
        for changes, row in zip(singles, predicted[-len(singles) :], strict=False):
            if row is not None and row != predicted[0]:
                distinct.setdefault(row, changes)
        both = [
            first | second
            for first, second in combinations(distinct.values(), 2)
            if pairs and first.keys().isdisjoint(second)
        ]
        for changes, row in zip(both, self._predicted(both), strict=True):
            yield changes | self._unit, "", row

    def _of_tools(self) -> Iterator[tuple[dict[str, AxisValue], str]]:
        for name, profile in self._known.items():
            changes = profile.conventions.changes_from(Conventions())
            unknown = {axis.name for axis in profile.conventions.unknown}
            of_all = all(any(describes(profile, m) for m in number.measures) for number in self._numbers)
            if of_all and not unknown & self._read:
                yield {axis: value for axis, value in changes.items() if axis in self._read}, name

    def _single_changes(self) -> list[dict[str, AxisValue]]:
        found: dict[tuple[tuple[str, AxisValue], ...], None] = {}
        for view in self._views.values():
            for conventions in single_changes(view):
                changes = conventions.changes_from(Conventions())
                if not _NOT_TRIED & changes.keys():
                    found[tuple(changes.items())] = None
        likeliest = sorted(found, key=lambda changes: sum(axes()[axis].priority for axis, _ in changes))
        return [dict(changes) for changes in likeliest]

    def _predicted(self, sets: Sequence[dict[str, AxisValue]]) -> list[_Predicted | None]:
        """The values of the measures of each number under each set of changed axes; None if the conventions
        refuse one."""
        made = [Conventions(**(changes | self._unit)) for changes in sets]
        found: dict[int, _Predicted | None] = {}
        for place in by_rankings(made):
            self._turn_to(made[place])
            found[place] = self._values(made[place])
        return [found[place] for place in range(len(sets))]

    def _values(self, conventions: Conventions) -> _Predicted | None:
        rows: list[tuple[float | None, ...]] = []
        for number in self._numbers:
            try:
                rows.append(tuple(self._value(number, m, conventions) for m in number.measures))
            except CrosscheckError:
                return None
        return tuple(rows)

    def _value(self, number: PrintedNumber, measure: Measure, conventions: Conventions) -> float | None:
        view = self._views[number.run, measure]
        if not view.possible(conventions):
            return None
        result = view.evaluated(conventions)
        if number.query is None:
            return result.mean
        topics = view.rankings.pairing.all_topics
        place = topics.index(number.query) if number.query in topics else -1
        return float(result.values[place]) if place >= 0 and result.present[place] else None


def words_of(changes: Mapping[str, AxisValue]) -> list[str]:
    """The behaviour of a tool with these axis values, in words."""
    return [axes()[axis].phrase(value) or f"{axis}={value}" for axis, value in changes.items()]
