"""Audits of native measures under random conventions, held against the search of ``run`` on the same values.

    python -m tests.auditing.same_answers [COUNT [SEED]]

The search of ``run`` goes through all sets of conventions of a size; an audit gets there by choosing its
inputs. Both must name the same conventions (sets that are the same on every input count as one) with the same
strength.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from unittest.mock import patch

from crosscheck.auditing import audit, auditor
from crosscheck.auditing.checking import Asked
from crosscheck.auditing.elimination import Elimination
from crosscheck.auditing.hypothesis_ranking import fewest_changes
from crosscheck.auditing.strength import evidence_of, options_of, tried_sets
from crosscheck.axes import likeliest
from crosscheck.conventions import Conventions
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.rivals import NEEDED_ON, doubts, made_up, same_everywhere
from crosscheck.hypotheses.search import Search
from crosscheck.names import parse_measure

__all__ = ["MEASURES", "Compared", "compared", "random_changes"]

MEASURES = (
    *("nDCG@10", "AP", "P@5", "RR", "R@5", "bpref", "AP@5", "ERR@10", "Rprec", "Success@5", "nDCG", "RBP"),
    "DCG@5",
)


class Compared(NamedTuple):
    """The answers of both for one metric; ``same`` also where it changes nothing that shows."""

    measure: str
    conventions: str
    audited: str
    searched: str

    @property
    def same(self) -> bool:
        return self.audited == self.searched


def random_changes(rng: random.Random, name: str, size: int) -> Conventions | None:
    """Conventions with ``size`` changed axes that the measure reads; None where it refuses them."""
    measure = parse_measure(name)
    recomputer = Recomputer(made_up(measure.cutoff), measure, Conventions())
    options = [(axis, axis.other_options(recomputer)) for axis in likeliest() if axis.name != "duplicates"]
    options = [(axis, values) for axis, values in options if values and axis.read_by(recomputer.family)]
    chosen = Conventions().with_changes(**{a.name: rng.choice(v) for a, v in rng.sample(options, size)})
    return chosen if recomputer.possible(chosen) else None


def compared(name: str, conventions: Conventions) -> Compared:
    """An audit, and the search of ``run`` over what the metric said in it."""
    seen: list[tuple[Elimination, Sequence[auditor.Axis], Sequence[Conventions], Sequence[Asked]]] = []

    def noted(search, axes, likeliest, fresh):  # type: ignore[no-untyped-def]
        seen.append((search, axes, likeliest, fresh))
        return original(search, axes, likeliest, fresh)

    original = auditor.doubts_about
    setting = ",".join(f"{axis}={value}" for axis, value in conventions.changes_from(Conventions()).items())
    with patch.object(auditor, "doubts_about", noted):
        made = audit(f"native:{setting}", name)
    if not seen:  # Nothing differs, or nothing explains it.
        return Compared(name, setting, f"{made.strength} {made.conventions}", "None {}")
    (search, axes, found, fresh), measure = seen[0], parse_measure(name)
    first, *beside = evidence_of(search, fresh)
    options = options_of(axes, found)
    again = Search(first, first.differing, beside=beside, options=options)
    size = len(found[0].changes_from(search.base))
    proofs = again.smallest(size)
    sets = fewest_changes([proof.conventions for proof in proofs], search.base, axes)
    differing = sum(evidence.unmet(search.base) for evidence in (first, *beside))
    tried = tried_sets(axes, size)
    doubt = differing < NEEDED_ON or (bool(proofs) and doubts(again, proofs, tried, ("value", "values"))[0])
    missed = [c for c in sets if not any(same_everywhere(measure, c, other) for other in found)]
    agree = sets and not missed and any(same_everywhere(measure, found[0], c) for c in sets)
    named = f"{made.conventions}" if agree else f"{[c.changes_from(search.base) for c in sets]}"
    strength = "consistent" if doubt else "proved"
    return Compared(name, setting, f"{made.strength} {made.conventions}", f"{strength} {named}")


def main(count: int, seed: int) -> int:
    rng, results = random.Random(seed), Counter[bool]()
    while results.total() < count:
        name = rng.choice(MEASURES)
        conventions = random_changes(rng, name, rng.choice((1, 2, 3)))
        if conventions is not None:
            done = compared(name, conventions)
            results[done.same] += 1
            print("same" if done.same else "OTHER", *done, sep=" | ", flush=True)
    print(f"{results[True]} of {count} the same")
    return int(results[False] > 0)


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*[*given, *(200, 0)[len(given) :]]))
