"""The commands that explain: help, version, backends, explain, profiles, schema."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from crosscheck import __version__
from crosscheck.axes.base import Axis
from crosscheck.backends import factories
from crosscheck.conventions import profiles
from crosscheck.explain.labels import causes
from crosscheck.measures import families
from tests.cli.command import FIXTURES, crosscheck


def test_help_and_version(tmp_path):
    """``-h`` and ``--help`` say the same, and each command has a help of its own."""
    done = crosscheck(tmp_path, "--help")
    assert (done.code, done.out) == (0, crosscheck(tmp_path, "-h").out)
    for word in ("run", "diff", "backends", "explain", "profiles", "schema", "130 interrupted"):
        assert word in " ".join(done.out.split())
    for command, word in (("run", "--fail-on"), ("diff", "--qrels"), ("explain", "LABEL")):
        about = crosscheck(tmp_path, command, "--help")
        assert (about.code, word in about.out) == (0, True)
    assert __version__ in crosscheck(tmp_path, "--version").out


def test_backends_are_listed_with_their_state(tmp_path):
    """How to write each id, whether it can be used here, and what installs one that cannot; or of the ids
    that are asked for, described as they would be used."""
    done = crosscheck(tmp_path, "backends", env={"PATH": "/nonexistent"})
    assert done.code == 0
    assert [kind.usage for kind in factories().values() if f"{kind.usage}\n" not in done.out] == []
    assert "github.com/usnistgov/trec_eval" in done.out
    assert "available: crosscheck, conventions trec_eval-9.0.8 (candidate by default)" in done.out
    done = crosscheck(tmp_path, "backends", "native:trec_eval-10", "recorded:nowhere")
    first = "native:trec_eval-10\n    available: crosscheck, conventions trec_eval-10\nrecorded:nowhere\n"
    assert done.out.startswith(f"{first}    not available: nowhere: there is no such file\n")
    assert (done.code, "python:" in done.out) == (0, False)


def test_explain_tells_each_label_in_prose(tmp_path):
    """A list of all, one line each; of one, label, axis, the whole prose, and no line too wide to read."""
    lines = crosscheck(tmp_path, "explain").out.splitlines()
    assert dict(line.split(maxsplit=1) for line in lines) == {k: c.summary for k, c in causes().items()}
    for label, cause in causes().items():
        done = crosscheck(tmp_path, "explain", label)
        axis = f"axis: {cause.name}\n" if isinstance(cause, Axis) else ""
        assert (done.code, done.out) == (0, f"{label}: {cause.summary}\n{axis}\n{cause.explained}\n")
        assert max(map(len, done.out.splitlines())) <= 120


def test_an_unknown_measure_leads_to_the_list_of_all(tmp_path):
    """One line each, with the cutoff where the measure takes one."""
    wrong = crosscheck(tmp_path, "evaluate", "qrels", "run", "-m", "foo@10")
    assert "such as nDCG@10, AP or map; crosscheck explain measures lists all" in wrong.err
    lines = crosscheck(tmp_path, "explain", "measures").out.splitlines()
    listed = dict(line.split(maxsplit=1) for line in lines)
    assert len(listed) == len(families())
    assert listed["nDCG[@k]"] == families()["nDCG"].summary
    assert {"P@k", "RR[@k]", "bpref"} <= listed.keys()


def test_explain_tells_how_a_measure_is_computed(tmp_path):
    """Under any of its names, with its parameters, other names and sources; no markup of docstrings."""
    for name in ("alpha_nDCG", "alpha-nDCG@10", "alpha_nDCG(alpha=0.3)@5"):
        done = crosscheck(tmp_path, "explain", name)
        assert done.out.startswith("alpha_nDCG(rel=1, alpha=0.5, judged_only=False)@k: ")
        assert "greedy" in done.out
    for name in ("ndcg_cut", "ndcg_cut_10"):
        assert crosscheck(tmp_path, "explain", name).out == crosscheck(tmp_path, "explain", "nDCG@10").out
    axis, label = (crosscheck(tmp_path, "explain", name).out for name in ("ties", "tie-breaking"))
    assert axis == label
    for name, family in families().items():
        done = crosscheck(tmp_path, "explain", name)
        assert (done.code, done.out.startswith(name), family.summary in done.out) == (0, True, True)
        assert len(done.out.splitlines()) > 2
        assert not re.search(r"``|:\w+:`", done.out)


def test_profiles_are_listed_shown_and_compared(tmp_path):
    """Without a name all of them, with one its axes, with two the axes on which they differ."""
    listed = crosscheck(tmp_path, "profiles").out
    assert all(f"{one.name} " in listed and one.description in listed for one in profiles().values())
    shown = dict(line.split() for line in crosscheck(tmp_path, "profiles", "trec_eval-10").out.splitlines())
    assert (shown["score_precision"], shown["depth"]) == ("float64", "none")
    compared = crosscheck(tmp_path, "profiles", "trec_eval-9.0.8", "trec_eval-10,gain=exponential")
    rows = [line.split() for line in compared.out.splitlines()]
    assert rows[0] == ["axis", "trec_eval-9.0.8", "trec_eval-10,gain=exponential"]
    assert ["score_precision", "float32", "float64"] in rows
    assert ["gain", "linear", "exponential"] in rows
    assert {len(row) for row in rows} == {3}
    same = crosscheck(tmp_path, "profiles", "trec_eval-10", "trec_eval-10")
    assert (same.code, same.out) == (0, "no axis differs\n")


def test_schema_is_a_schema_that_real_output_fits(tmp_path):
    """The printed schema validates a document with mismatches, errors, NaN and infinities."""
    schema = json.loads(crosscheck(tmp_path, "schema").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    (tmp_path / "nan.py").write_text("def f(qrels, run, measure): return dict.fromkeys(run, float('nan'))\n")
    (tmp_path / "bad.py").write_text("def f(qrels, run, measure):\n    raise ValueError\n")
    done = crosscheck(
        tmp_path, FIXTURES / "label-gain", FIXTURES / "label-missing-queries",
        "-b", "native:gain=exponential", "-b", "python:nan.py:f", "-b", "python:bad.py:f",
        "-m", "nDCG@10,DCG", "--reference", "pytrec_eval", "--report", "json=-",
    )  # fmt: skip
    document = json.loads(done.out)
    jsonschema.validate(document, schema)
    assert {c["outcome"] for c in document["comparisons"]} == {"mismatch", "match", "error", "unsupported"}
    assert any(cell["candidate_value"] == "NaN" for c in document["comparisons"] for cell in c["cells"])
    document["comparisons"][0]["outcome"] = "fine"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
