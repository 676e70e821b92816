"""Preferences and groups of judges: how they are given and read, and values by hand."""

import json
from typing import Any

import polars

import crosscheck
from crosscheck.backends import make
from crosscheck.engine.conversion import as_qrels, as_run
from crosscheck.model import Measure
from tests.support.kept import examples

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


def test_python_takes_preferences_in_every_form(tmp_path):
    """A file, nested dicts, columns and a frame of the same preferences have the same values; a metric of
    one's own is handed groups, subgroups and levels."""
    nested: dict[str, Any] = {}
    for topic, group, subgroup, docno, level in LINES:
        nested.setdefault(topic, {}).setdefault(group, {}).setdefault(subgroup, {})[docno] = level
    columns: Any = tuple(map(list, zip(*LINES, strict=True)))
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


#: Judgements are of one kind; levels belong to documents, in at most a group and a subgroup.
test_levels_that_are_alike_and_judgements_that_do_not_fit = examples(globals())
