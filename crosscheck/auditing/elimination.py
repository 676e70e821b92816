"""Elimination: the sets of conventions still possible, the input that divides them best, an experiment.

An axis joins the search at the first experiment whose outcome it influences; until then it has the
reference's value. So the number of possible sets stays small, without a limit on the number of axes that a
metric changes. The influence of an axis is found by recomputation, not assumed, and every set is checked
against all experiments so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice, product

import numpy as np

from crosscheck.auditing.axes import Axis, changes
from crosscheck.auditing.choice_of_probes import ProbeChoice, with_value
from crosscheck.conventions import UNKNOWN, AxisValue, Conventions
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.number_format import SINGLE
from crosscheck.hypotheses.predictions import Observation, Predictions
from crosscheck.hypotheses.search import Search
from crosscheck.probes.probe import Probe
from crosscheck.probes.special import MIXED
from crosscheck.rankings.memo import Memo

__all__ = ["MOST_UNEXPLAINED", "Elimination", "Experiment"]

#: Number of sets used to decide whether an axis matters for a probe, and maximum number kept.
_REPRESENTATIVES, _MOST = 6, 4000
#: Number of sets that are tried with one further axis, and with two, if nothing predicts an experiment.
_MOST_RESCUERS = {1: 12, 2: 4}
#: Number of sets for which equivalent sets are searched.
_MOST_EQUALS = 3
#: Number of experiments without an explanation after which the search gives up.
MOST_UNEXPLAINED, _MOST_WITHHELD = 8, 30
#: Number of experiments that must need a changed axis, to exclude chance if it affects means only.
_SECURED_BY = 5
#: Number of outcomes that must need an axis if others are unexplained.
_FEWEST_NEEDED = 2


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment: the observation, and the number of possible sets of conventions before and after.

    Attributes:
        explained: whether any set predicts it.
    """

    probe: Probe
    index: int
    seen: Observation
    before: int
    after: int
    explained: bool


class Elimination:
    """The search; :meth:`run` makes the experiments.

    Attributes:
        possible: the sets of conventions that predict every explained experiment.
        experiments: in the order in which they were made.
        considered: names of the axes examined so far.
        settled_at: axis -> number of the experiment since which it has one value.
        near: whether some value is that of a tried set in single precision only.

    Args:
        patience: contradictions after which it gives up.
    """

    def __init__(
        self,
        predictions: Predictions,
        axes: Sequence[Axis],
        base: Conventions,
        observe: Callable[[Probe], Observation],
        tolerance: float,
        patience: int = MOST_UNEXPLAINED,
    ) -> None:
        self.predictions = predictions
        self._patience = patience
        self.base = base
        self.possible: list[Conventions] = [base]
        self.experiments: list[Experiment] = []
        self.considered: list[str] = []
        self.settled_at: dict[str, int] = {}
        self.near = False
        self._axes = {axis.name: axis for axis in axes}
        self._observe = observe
        self._tolerance = tolerance
        self._open = np.ones(len(predictions.probes), np.bool_)
        self._choice = ProbeChoice(predictions)
        self._neighbours = Memo()
        self._looked_at: list[Conventions] = []

    @property
    def unexplained(self) -> list[Experiment]:
        return [e for e in self.experiments if not e.explained]

    def unexplained_by(self, found: Conventions) -> list[Experiment]:
        """The unexplained experiments that these conventions do not predict either. A set that was found
        later may predict some of them."""
        return [
            e
            for e in self.unexplained
            if not self.predictions.predicts(found, e.index, e.seen, self._tolerance)
        ]

    @property
    def contradictions(self) -> list[Experiment]:
        """Values that nothing predicts. A missing value, as for lists that are too short for a metric, does
        not contradict the explanation of the others."""
        return [e for e in self.unexplained if e.seen.value is not None]

    def supported(self, found: Conventions) -> Conventions:
        """The part of a set of conventions that is supported although some experiments are unexplained.

        An axis must be needed for at least two outcomes, and most outcomes must be explained, because a
        single coincidence is no evidence if there is a bug.
        """
        explained = [e for e in self.experiments if e.explained and e.seen.error is None]
        if not self.unexplained:
            return found
        if len(explained) <= 2 * len(self.contradictions):
            return self.base
        kept = found
        for name in found.changes_from(self.base):
            without = found.as_in(self.base, name)
            needed = [
                e
                for e in explained
                if not self.predictions.predicts(without, e.index, e.seen, self._tolerance)
            ]
            if len(needed) < _FEWEST_NEEDED:
                kept = kept.as_in(self.base, name)
        return kept

    def observed(self, found: Conventions, name: str) -> bool:
        """Whether an axis was observed directly.

        Each of its other values must be refuted by two experiments that these conventions predict.
        """
        axis = self._axes.get(name)
        if axis is None:
            return False
        met = [
            e
            for e in self.experiments
            if e.seen.error is None and self.predictions.predicts(found, e.index, e.seen, self._tolerance)
        ]
        here = found.plain(name)
        return all(
            sum(not self.predictions.predicts(other, e.index, e.seen, self._tolerance) for e in met)
            >= _FEWEST_NEEDED
            for other in (with_value(found, axis, value) for value in axis.values if value != here)
        )

    def alike(self, found: Conventions) -> Callable[[str, AxisValue], bool]:
        """A function that says whether no probe shows another value of an examined axis."""
        codes = self.predictions.row(found).codes

        def alike(name: str, value: AxisValue) -> bool:
            if name not in self.considered or value == UNKNOWN:
                return False
            other = found.with_changes(**{name: value})
            possible = self.predictions.possible(other)
            return possible and np.array_equal(self.predictions.row(other).codes, codes)

        return alike

    def run(self) -> None:
        """Run experiments until no probe separates the remaining hypotheses and no unexamined axis is
        observable. A Ctrl-C takes a note of what is known with it."""
        try:
            while len(self.contradictions) < self._patience and len(self.unexplained) < _MOST_WITHHELD:
                # Probes of several queries take an evaluation each, so they come last.
                if not self._proceeds(single=True) and not self._proceeds(single=False):
                    return
        except KeyboardInterrupt as error:
            error.add_note(self.so_far())
            raise

    def so_far(self) -> str:
        """A line about what is known before the search has ended."""
        fewest = min((c.changes_from(self.base) for c in self.possible), key=len)
        which = ", ".join(f"{name}={value}" for name, value in fewest.items()) or "the reference's own"
        return (
            f"experiments so far: {len(self.experiments)}; values that no conventions give: "
            f"{len(self.contradictions)}; sets of conventions that give the others: {len(self.possible)}, "
            f"with the fewest changes {which}"
        )

    def _proceeds(self, *, single: bool) -> bool:
        """Make one experiment or examine further axes; False if there is nothing left to do.

        Args:
            single: use only probes of one query.
        """
        usable = self._open & ~self.predictions.several if single else self._open
        new = [axis for name, axis in self._axes.items() if name not in self.considered]
        waiting = self._choice.waiting(new, self._representatives(), single=single)
        free = usable.copy()
        for influenced in waiting.values():
            free &= ~influenced
        best = self._choice.best_division(self.possible, free, single=single)
        if best is not None:
            self._experiment(best)
            return True
        joining = self._choice.fewest_axes(waiting, self.possible, usable)
        self._expand(joining)
        return bool(joining)

    def confirm(self, count: int) -> None:
        """Make further experiments on mixed inputs, whose outcomes are now predicted."""
        mixed = [i for i in np.flatnonzero(self._open).tolist() if self.predictions.probes[i].about == MIXED]
        for index in mixed[:count]:
            self._experiment(index)
        self.run()

    def secure(self, found: Conventions) -> None:
        """Further experiments that need each changed axis, as far as inputs show it."""
        codes = self.predictions.row(found).codes
        for name in found.changes_from(self.base):
            needs = self.predictions.row(found.as_in(self.base, name)).codes != codes
            asked = sum(bool(needs[e.index]) for e in self.experiments)
            for index in np.flatnonzero(needs & self._open).tolist()[: max(_SECURED_BY - asked, 0)]:
                self._experiment(index)
        self.run()

    def extend(self, probes: Sequence[Probe]) -> None:
        """Add probes to choose from, once the present ones separate nothing any more."""
        self.predictions.extend(probes)
        self._open = np.concatenate([self._open, np.ones(len(probes), np.bool_)])
        self._choice = ProbeChoice(self.predictions)

    def _representatives(self) -> list[Conventions]:
        """Some of the possible sets: those that were looked at before, if they still are possible."""
        spread = self.possible[:: max(1, len(self.possible) // _REPRESENTATIVES)]
        possible = set(self.possible)
        kept = [c for c in self._looked_at if c in possible]
        self._looked_at = list(dict.fromkeys((*kept, *spread)))[:_REPRESENTATIVES]
        return self._looked_at

    def _expand(self, axes: Sequence[Axis]) -> None:
        """Add axes to those in question."""
        self.considered += [axis.name for axis in axes]
        for axis in axes:
            grown = (
                conventions if value is None else with_value(conventions, axis, value[0])
                for conventions, value in product(self.possible, [None, *((v,) for v in axis.options)])
            )
            self.possible = list(islice(filter(self._agrees, grown), _MOST))
        self._note_settled()

    def _agrees(self, conventions: Conventions, since: int = 0) -> bool:
        """Whether conventions predict every explained experiment but the first ``since`` ones."""
        made = self.experiments[since:]
        seen = ((e.index, e.seen) for e in made if e.explained and e.seen.error is None)
        return self.predictions.predicts_all(conventions, seen, self._tolerance)

    def _experiment(self, index: int) -> None:
        """Make one experiment and discard the sets that it contradicts."""
        self._open[index] = False
        probe, before = self.predictions.probes[index], self.possible
        seen = self._observe(probe)
        explained = True
        if seen.error is None:
            kept = [c for c in before if self._gives(c, index, seen)] or self._rescued(index, seen)
            explained = bool(kept)
            if explained:
                self.possible = kept
            elif seen.value is not None:
                self._set_aside(index)
        self.experiments.append(Experiment(probe, index, seen, len(before), len(self.possible), explained))
        self._note_settled()

    def _gives(self, conventions: Conventions, index: int, seen: Observation) -> bool:
        """Whether a set predicts a new experiment."""
        given = self.predictions.predicts(conventions, index, seen, self._tolerance)
        if not given and not self.near and self._tolerance < SINGLE:
            self.near = self.predictions.predicts(conventions, index, seen, SINGLE)
        return given

    def _note_settled(self) -> None:
        for name in self.considered:
            if len({c.plain(name) for c in self.possible}) > 1:
                self.settled_at.pop(name, None)
            else:
                self.settled_at.setdefault(name, len(self.experiments))

    def _rescued(self, index: int, seen: Observation) -> list[Conventions]:
        """Sets that predict everything and differ on one or two axes from those that did so far.

        First on axes that had not joined yet, then on any: an earlier experiment may have depended on an axis
        that joined later.
        """
        considered = frozenset(self.considered)
        new = [axis for axis in self._axes.values() if axis.name not in considered]
        every = list(self._axes.values())
        for axes, size in ((new, 1), (every, 1), (new, 2), (every, 2)):
            found: dict[Conventions, None] = {}
            joined: dict[str, None] = {}
            for chosen in combinations(axes, size):
                if axes is every and considered.isdisjoint(axis.name for axis in chosen):
                    continue  # they have been tried
                for changed in self._changed(self.possible[: _MOST_RESCUERS[size]], chosen):
                    if self._gives(changed, index, seen) and self._agrees(changed):
                        found[changed] = None
                        joined |= dict.fromkeys(axis.name for axis in chosen)
            if found:
                self.considered += [name for name in joined if name not in self.considered]
                return list(found)
        return []

    @staticmethod
    def _changed(sets: Sequence[Conventions], axes: Sequence[Axis]) -> Iterator[Conventions]:
        for conventions in sets:
            yield from changes(conventions, axes)

    def widen(self) -> bool:
        """Add what differs from a possible set, or from the reference, on one or two axes and predicts
        everything as well.

        An experiment may have depended on more axes than recomputation had shown by then, so sets discarded
        too early are restored here. Returns True if a restored set can be distinguished by a probe.
        """
        here = self.possible[0]
        codes, known = self.predictions.row(here).codes, set(self.possible)
        back = [
            changed
            for changed in self._near(dict.fromkeys((here, self.base)))
            if changed not in known and np.any((self.predictions.row(changed).codes != codes) & self._open)
        ]
        joined = dict.fromkeys(name for c in back for name in c.changes_from(here))
        self.considered += [name for name in joined if name not in self.considered]
        self.possible += back
        return bool(back)

    def withdraw(self) -> None:
        """Leave what the reference's conventions do not predict unexplained, whatever other sets do."""
        for place, e in enumerate(self.experiments):
            kept = e.seen.error is not None or self.predictions.predicts(
                self.base, e.index, e.seen, self._tolerance
            )
            self.experiments[place] = replace(e, explained=e.explained and kept)
        self.possible = [self.base]
        self._neighbours = Memo()

    def evidence(self, base: Conventions, *, every: bool = False) -> list[Evidence]:
        """The explained experiments as evidence, to be explained by changes of these conventions; with
        ``every``, all that gave a value."""
        kept = [e for e in self.experiments if e.explained or (every and e.seen.value is not None)]
        return self.predictions.evidence(((e.index, e.seen) for e in kept), base, self._tolerance)

    def equals(self, found: Sequence[Conventions], *, as_asked: bool = False) -> list[Conventions]:
        """Sets that no probe distinguishes from the first of these sets, and that change as few axes; with
        ``as_asked``, no experiment so far.

        They differ on one or two axes from one of the sets. The search drops such a set if an axis has no
        influence in addition to the others, although it could replace one of them.
        """
        codes, most = self.predictions.row(found[0]).codes, len(found[0].changes_from(self.base))
        return [
            changed
            for changed in self._near(dict.fromkeys((*found[:_MOST_EQUALS], self.base)))
            if changed not in found
            and len(changed.changes_from(self.base)) <= most
            and (as_asked or np.array_equal(self.predictions.row(changed).codes, codes))
        ]

    def _near(self, sets: Iterable[Conventions]) -> list[Conventions]:
        """Sets that differ from one of these on one or two axes and predict every explained experiment."""
        near: dict[Conventions, None] = {}
        for here in sets:
            made, found = self._neighbours.once(here, partial(self._near_one, here))
            # Experiments since then can only have refuted some.
            near |= dict.fromkeys(c for c in found if self._agrees(c, made))
        return list(near)

    def _near_one(self, here: Conventions) -> tuple[int, list[Conventions]]:
        """The number of experiments so far, and the sets near this one that predict them."""
        first, *beside = self.evidence(here)
        options = [(axis.cause, axis.other_values(here)) for axis in self._axes.values()]
        search = Search(first, np.ones_like(first.observed.present), beside=beside, options=options)
        found = [e.conventions for size in (1, 2) for e in search.complete_of_size(size)]
        return len(self.experiments), found

    def _set_aside(self, index: int) -> None:
        """Exclude further experiments of this kind: probes that show the axes which varied on this one."""
        for name in self.considered:
            axis = self._axes[name]
            if len({c.plain(name) for c in self.possible}) > 1:
                influenced = self._choice.influenced(axis, self.possible[0])
                if influenced[index]:
                    self._open &= ~influenced
