"""crosscheck diff of two results: each comparison that came out otherwise, and each other version."""

from typing import Any

import pytest
from msgspec.structs import replace

from crosscheck.results import Comparison, Document
from crosscheck.studies.diff import VersionChange, diff
from tests.report import samples

DOCUMENT = samples.everything()
#: A mismatch with a diagnosis and with values of queries.
BAD = next(c for c in DOCUMENT.comparisons if c.outcome == "mismatch" and c.diagnosis and c.cells)
assert BAD.diagnosis is not None
MATCH: dict[str, Any] = {"outcome": "match", "diagnosis": None, "cells": []}
ERROR = MATCH | {"outcome": "error"}


def _document(*comparisons: Comparison) -> Document:
    return replace(DOCUMENT, comparisons=list(comparisons))


@pytest.mark.parametrize(
    ("was", "now", "kind"),
    [
        (MATCH, {}, "new"),
        (None, {}, "new"),
        ({"outcome": "unsupported", "diagnosis": None}, {"outcome": "error", "diagnosis": None}, "new"),
        ({}, MATCH, "gone"),
        ({}, None, "left out"),
        (MATCH, None, "left out"),
        (None, MATCH, "added"),
        ({}, {"outcome": "unsupported", "diagnosis": None}, "other outcome"),
        (MATCH, {"outcome": "unsupported", "diagnosis": None}, "other outcome"),
        ({"outcome": "error", "diagnosis": None}, {}, "other outcome"),
        ({}, {"diagnosis": replace(BAD.diagnosis, causes=["bug"])}, "other cause"),
        ({}, {"diagnosis": replace(BAD.diagnosis, conventions={"gain": "binary"})}, "other cause"),
        ({}, {"diagnosis": replace(BAD.diagnosis, strength="none")}, "other strength"),
        ({}, {"cells": [replace(BAD.cells[0], candidate_value=0.123), *BAD.cells[1:]]}, "other values"),
        (MATCH, MATCH | {"mean": replace(BAD.mean, reference_value=0.123)}, "other values"),
        (MATCH, MATCH, None),
        (ERROR | {"mean": replace(BAD.mean, reference_value=None)}, ERROR, None),
        ({}, {"expected": not BAD.expected, "reason": "declared meanwhile"}, None),
    ],
)
def test_each_kind_of_change_has_its_name(was, now, kind):
    """One comparison before and after: its change is named, and whatever is the same is no change."""
    before, after = ([] if one is None else [replace(BAD, **one)] for one in (was, now))
    found = diff(_document(*before), _document(*after))
    assert [change.change for change in found.changes] == ([] if kind is None else [kind])
    assert (found.comparisons, found.ok) == (1, kind is None)
    says = {"new": "newly differing", "gone": "no longer differing"}
    says |= {"left out": "no longer compared", "added": "newly compared"}
    changed = f"1 of 1 comparison changed: 1 {says.get(str(kind), kind)}."
    assert found.summary == (changed if kind else "No change in 1 comparison.")


def test_other_versions_are_named_and_are_no_change():
    """A package, a backend that is gone and another crosscheck are listed; they alone change no result."""
    environment = replace(DOCUMENT.environment, packages={"numpy": "2.0", "ranx": "1"})
    before = replace(DOCUMENT, environment=environment)
    after = replace(
        before,
        environment=replace(environment, packages={"numpy": "2.1"}),
        tool=replace(before.tool, version="9"),
        backends=[replace(before.backends[0], available=False), *before.backends[1:]],
        complete=False,
    )
    found = diff(before, after)
    backend = before.backends[0]
    assert found.versions == [
        VersionChange("crosscheck", before.tool.version, "9"),
        VersionChange("numpy", "2.0", "2.1"),
        VersionChange("ranx", "1", None),
        VersionChange(f"backend {backend.id}", backend.version, "not available"),
    ]
    assert (found.changes, found.notes) == ([], ["The later result is of a run that was interrupted."])
