"""Preferences and groups of judges: how they are given and read, and values by hand."""

import json
import sys
from typing import Any

import polars
import pytest

import crosscheck
from crosscheck.backends import make
from crosscheck.engine.conversion import as_qrels, as_run
from crosscheck.model import Measure
from tests.cli.command import crosscheck as command
from tests.support.kept import Kept, shown

#: One topic: two groups of judges, one of which compared its documents in two parts.
LINES = [
    ("q", "u1", "s1", "a", 3.0),
    ("q", "u1", "s1", "b", 2.5),
    ("q", "u1", "s1", "c", 0.0),
    ("q", "u2", "s1", "b", 2.0),
    ("q", "u2", "s1", "a", 1.0),
    ("q", "u2", "s2", "a", 2.0),
    ("q", "u2", "s2", "d", 1.0),
]
RUN = {"q": {"a": 9.0, "x": 8.0, "c": 7.0, "b": 7.0}}


def test_levels_that_float32_cannot_tell_apart_are_a_preference_in_version_10_only(tmp_path):
    """0.1 and 0.10000000001 are the same level to trec_eval 9."""
    (tmp_path / "qrels").write_text("q g s a 0.10000000001\nq g s b 0.1\n")
    for spec, number in (("trec_eval-9.0.8", 0), ("trec_eval-10", 1)):
        found = crosscheck.evaluate(str(tmp_path / "qrels"), RUN, ["prefs_num_prefs_poss"], conventions=spec)
        assert found == {"q": {"prefs_num_prefs_poss": number}}


def test_python_takes_preferences_in_every_form(tmp_path):
    """A file, nested dicts, columns and a frame of the same preferences have the same values; a metric of
    one's own is handed groups, subgroups and levels."""
    nested: dict[str, Any] = {}
    for topic, group, subgroup, docno, level in LINES:
        nested.setdefault(topic, {}).setdefault(group, {}).setdefault(subgroup, {})[docno] = level
    columns = tuple(map(list, zip(*LINES, strict=True)))
    names = ("query", "group", "subgroup", "docid", "rel")
    (tmp_path / "prefs").write_text("".join(f"{' '.join(map(str, line))}\n" for line in LINES))
    (tmp_path / "json").write_text(json.dumps(nested))
    frame = polars.DataFrame(dict(zip(names, columns, strict=True)))
    first, *others = (
        crosscheck.evaluate(form, RUN, ["all_prefs", "P@2"])
        for form in (str(tmp_path / "prefs"), str(tmp_path / "json"), nested, columns, frame)
    )
    # Of 5 + 1 + 1 preferences u1's b > c is not fulfilled (c and b are tied: b comes first, so it is), u2's
    # b > a is not, and a > d, b > d follow from those of its two parts.
    assert first["q"]["prefs_num_prefs_poss"] == 6
    assert first["q"]["prefs_num_prefs_ful"] == 5
    assert all(other == first for other in others)
    (tmp_path / "metric.py").write_text(
        "def groups(qrels, run):\n    return {q: sum(map(len, of.values())) for q, of in qrels.items()}\n"
    )
    asked, qrels = Measure("prefs_simp"), as_qrels(columns, needs="preferences")
    found = make(f"python:{tmp_path / 'metric.py'}:groups").evaluate(qrels, as_run(RUN), [asked])
    assert found[asked].values == {b"q": 3.0}


KEPT = Kept(__file__, TypeError, ValueError, within=({"crosscheck": crosscheck, "RUN": RUN},), show=shown)


@KEPT.each()
def test_judgements_that_do_not_fit_are_refused(given):
    """Judgements are of one kind; levels belong to documents, in at most a group and a subgroup."""
    KEPT.holds(given)


@pytest.mark.parametrize(
    ("qrels", "measure", "value"),
    [
        ("".join(f"{' '.join(map(str, line))}\n" for line in LINES), "prefs_simp", "0.8333"),
        ("q u1 a 1\nq u1 b 0\nq u2 a 0\nq u2 c 1\n", "map_avgjg", "0.6667"),
    ],
)
def test_run_compares_them_with_the_c_program(qrels, measure, value, tmp_path):
    """``crosscheck run`` hands the program its formats, and finds the same numbers in both."""
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text("".join(f"q Q0 {d} 1 {s} t\n" for d, s in RUN["q"].items()))
    program = tmp_path / "trec_eval"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m crosscheck trec_eval "$@"\n')
    program.chmod(0o755)
    asked = f"qrels run -m {measure} --reference trec_eval -b native --trec-eval-bin ./trec_eval"
    done = command(tmp_path, *asked.split(), "--report", "json=-")
    (comparison,) = done.document()["comparisons"]
    assert (done.code, comparison["outcome"]) == (0, "match")
    assert f"{comparison['mean']['reference_value']:.4f}" == value
