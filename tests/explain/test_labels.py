"""Every value of every axis has a minimal case under fixtures/, which shows it and is diagnosed with it."""

from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from crosscheck.axes import axes
from crosscheck.backends.native import native_values
from crosscheck.backends.recorded import RecordedValues
from crosscheck.compare import differ
from crosscheck.conventions import AxisValue, Conventions, conventions, plain
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import diagnose
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues
from crosscheck.names import parse_measure
from tests.programs.fixtures import VALUES_OF_AXES, rows
from tests.support.cases import Case
from tests.support.strength import earned

#: Recorded files that stand for a value of an axis: case, file, the setting.
SHOWN = rows(VALUES_OF_AXES)


def change(setting: str) -> tuple[str, AxisValue]:
    """The axis of a setting, and its value."""
    ((axis, value),) = conventions(setting).changes_from(Conventions()).items()
    return axis, value


def rankings_of(case: Case) -> Rankings:
    (path,) = case.runs
    run = read_run(str(path), strict=case.config.get("strict", True))
    parts = [run.docnos[a:b].tolist() for a, b in pairwise(run.offsets.tolist())]
    unique = all(len(set(part)) == len(part) for part in parts)
    return Rankings(replace(run, unique=unique), read_qrels(str(case.qrels)))


def base_of(case: Case) -> Conventions:
    """The conventions that the case compares with."""
    return conventions(case.reference.removeprefix("native").removeprefix(":") or Conventions())


def saved_values(case: Case, path: Path, measure: Measure) -> MeasureValues:
    pairing, saved = rankings_of(case).pairing, RecordedValues(str(path))
    return saved.evaluate(pairing.qrels, pairing.run, [measure])[measure]


def test_every_value_of_every_axis_has_a_case():
    """Every value but trec_eval's own, and some number for each axis of numbers."""
    shown = {change(setting) for _, _, setting in SHOWN}
    wanted = {
        (axis.name, plain(value))
        for axis in axes().values()
        for value in axis.values
        if value != axis.default and not axis.numbers
    }
    assert wanted - shown == set()
    assert set(axes()) == {axis for axis, _ in shown}


@pytest.mark.parametrize(
    ("case", "path", "setting"), SHOWN, ids=[f"{case.name}-{under}" for case, _, under in SHOWN]
)
def test_a_case_shows_the_value_that_it_stands_for(case, path, setting):
    """Native measures under that one change give the independent values, and the mean where one is saved; the
    case is diagnosed with the label of the axis, all is reproduced, and the value is the one given or a
    listed alternative."""
    axis, value = change(setting)
    label = axes()[axis].label
    declared = {e["measure"]: e["causes"] for e in case.expect if e["candidate"] == f"recorded:{path.name}"}
    rankings, base = rankings_of(case), base_of(case)
    for measure in map(parse_measure, case.measures):
        saved, aggregate = saved_values(case, path, measure), family(measure.family).aggregate
        shown, found = (
            differ(native_values(rankings, measure, c, "native"), saved, aggregate=aggregate)
            for c in (base.with_changes(**{axis: value}), base)
        )
        assert shown.agree, (measure, shown)
        diagnosed = diagnose(Recomputer(rankings, measure, base), found, saved)
        diagnosis = diagnosed.diagnosis
        assert (diagnosis.strength, diagnosis.causes) == (earned(diagnosis, len(diagnosed.labels)), [label])
        assert declared[str(measure)] == [label]
        offered = [diagnosis.conventions, *(other.conventions for other in diagnosis.alternatives)]
        assert {axis: value} in offered
