"""Audits of native measures under random conventions, held against the search of ``run`` on the same values.

    python -m tests.auditing.same_answers [COUNT [SEED]]
    python -m tests.auditing.same_answers FOLDER

The search of ``run`` goes through all sets of conventions of a size; an audit gets there by choosing its
inputs. Both must name the same conventions (sets that are the same on every input count as one) with the same
strength. For a folder of cases both get the recorded values of each case, and an audit can choose nothing.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from crosscheck.auditing import audit, session
from crosscheck.auditing.axes import axes_of
from crosscheck.auditing.checking import Asked
from crosscheck.auditing.confirmation import as_probe
from crosscheck.auditing.elimination import Elimination
from crosscheck.auditing.hypothesis_ranking import fewest_changes
from crosscheck.auditing.strength import doubts_about, earned, evidence_of, options_of, tried_sets
from crosscheck.axes import likeliest
from crosscheck.backends.native import native_values
from crosscheck.backends.recorded import RecordedValues
from crosscheck.compare import differ
from crosscheck.conventions import Conventions
from crosscheck.diagnosis.diagnose import diagnose
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.formats.cases import find_cases
from crosscheck.formats.recorded import read_recorded
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.hypotheses.number_format import PROOF_TOLERANCE
from crosscheck.hypotheses.predictions import TOLERANCES, Observation, Predictions
from crosscheck.hypotheses.rivals import NEEDED_ON, doubts, made_up, on_synthetic, same_everywhere
from crosscheck.hypotheses.search import Search
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import parse_measure
from crosscheck.probes.probe import Probe
from crosscheck.results import Diagnosis

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
    seen: list[tuple[Elimination, Sequence[session.Axis], Sequence[Conventions], Sequence[Asked]]] = []

    def noted(search, axes, likeliest, fresh):  # type: ignore[no-untyped-def]
        seen.append((search, axes, likeliest, fresh))
        return original(search, axes, likeliest, fresh)

    original = session.doubts_about
    setting = ",".join(f"{axis}={value}" for axis, value in conventions.changes_from(Conventions()).items())
    with patch.object(session, "doubts_about", noted):
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
    first_found, *_ = every = [on_synthetic(measure, conventions) for conventions in found]
    missed = [c for c in sets if not any(same_everywhere(one, c) for one in every)]
    agree = sets and not missed and any(same_everywhere(first_found, c) for c in sets)
    named = f"{made.conventions}" if agree else f"{[c.changes_from(search.base) for c in sets]}"
    strength = "consistent" if doubt else "proved"
    return Compared(name, setting, f"{made.strength} {made.conventions}", f"{strength} {named}")


def compared_on(qrels: Qrels, run: Run, values: MeasureValues, measure: Measure) -> Compared | None:
    """What both say of recorded values; None where these are the reference's."""
    situation = Recomputer(Rankings(run, qrels), measure, base := Conventions())
    ours = native_values(situation.rankings, measure, base, "reference")
    differences = differ(ours, values, aggregate=situation.family.aggregate)
    if differences.agree:
        return None
    said = diagnose(situation, differences, values).diagnosis
    whole = as_probe("the case", qrels, run)
    read = [id if values.values else None for id, _ in whole.queries]
    probes = [replace(whole, reads=id) for id in dict.fromkeys([*read, *[None] * (values.mean is not None)])]
    predictions = Predictions(probes, measure, means_only=not values.values)

    def observed(probe: Probe) -> Observation:
        value = values.mean if probe.reads is None else values.values.get(probe.reads.encode())
        return Observation(value, decimals=values.decimals)

    axes = axes_of([situation.rankings], measure, base, ())
    for tolerance in TOLERANCES:
        search = Elimination(predictions, axes, base, observed, tolerance)
        search.run()
        for index in np.flatnonzero(search._open).tolist():
            search._experiment(index)
        while not search.unexplained and search.widen():
            search.run()
        if not search.contradictions:
            break
    found, audited = earned(search, fewest_changes(search.possible, base, axes), []), "none {}"
    if not search.unexplained and found[0] != base:
        found = fewest_changes([*found, *search.equals(found)], base, axes)
        found = [c for c in found if len(c.changes_from(base)) == len(found[0].changes_from(base))]
        doubt = doubts_about(search, axes, found, [])[0]
        audited = f"{'consistent' if doubt else 'proved'} {named(measure, found, said)}"
    elif not search.unexplained and tolerance > PROOF_TOLERANCE:
        # An audit reports the precision of the values, without a strength.
        audited = f"{said.strength} {{'result_precision': 'float32'}}"
    sets = said.conventions if said.strength in ("proved", "consistent") else {}
    return Compared(str(measure), "", audited, f"{said.strength if sets else 'none'} {sets}")


def named(measure: Measure, found: Sequence[Conventions], said: Diagnosis) -> object:
    """The conventions of a diagnosis, if the sets found are the same as its own; else the sets found."""
    base = Conventions()
    sets = [
        base.with_changes(**axes) for axes in (said.conventions, *(a.conventions for a in said.alternatives))
    ]
    every = [on_synthetic(measure, conventions) for conventions in sets]
    same = all(any(same_everywhere(one, c) for one in every) for c in found)
    return said.conventions if same else [c.changes_from(base) for c in found]


def fixtures(folder: str) -> int:
    results = Counter[bool]()
    for case in find_cases([folder]):
        for path, file in product(case.runs, case.recorded):
            try:
                qrels, run = read_qrels(case.qrels), read_run(path)
                recorded = RecordedValues(file)
                of_file = read_recorded(file)
                names = [parse_measure(name) for name in dict.fromkeys([*of_file.values, *of_file.means])]
                for measure, values in recorded.evaluate(qrels, run, names).items():
                    done = compared_on(qrels, run, values, measure)
                    if done is not None:
                        results[done.same] += 1
                        what = f"{case.name} {Path(file).name}"
                        print("same" if done.same else "OTHER", what, *done, sep=" | ", flush=True)
            except (CrosscheckError, UnicodeDecodeError) as error:
                print("left out", case.name, Path(file).name, error, sep=" | ", flush=True)
    print(f"{results[True]} of {results.total()} the same")
    return int(results[False] > 0)


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
    if sys.argv[1:] and not sys.argv[1].isdecimal():
        sys.exit(fixtures(sys.argv[1]))
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*[*given, *(200, 0)[len(given) :]]))
