"""The commands that explain: help, version, backends, explain, profiles, schema."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from crosscheck import __version__
from crosscheck.axes.base import Axis
from crosscheck.backends import factories
from crosscheck.cli.about import explain
from crosscheck.conventions import profiles
from crosscheck.explain.labels import causes
from crosscheck.measures import families
from tests.cli.command import FIXTURES, crosscheck


def test_help_lists_every_command_and_the_exit_codes(tmp_path: Path) -> None:
    """``-h`` and ``--help`` say the same, and each command has a help of its own."""
    done = crosscheck(tmp_path, "--help")
    assert done.code == 0
    assert done.out == crosscheck(tmp_path, "-h").out
    for word in ("run", "diff", "backends", "explain", "profiles", "schema", "130 interrupted"):
        assert word in " ".join(done.out.split())
    for command, word in (("run", "--fail-on"), ("diff", "--qrels"), ("explain", "LABEL")):
        about = crosscheck(tmp_path, command, "--help")
        assert about.code == 0
        assert word in about.out


def test_version_is_the_packages_own(tmp_path: Path) -> None:
    """``--version`` prints it."""
    assert __version__ in crosscheck(tmp_path, "--version").out


def test_backends_lists_every_kind_with_its_state(tmp_path: Path) -> None:
    """How to write each id, whether it can be used here, and what installs one that cannot."""
    done = crosscheck(tmp_path, "backends", env={"PATH": "/nonexistent"})
    assert done.code == 0
    for kind in factories().values():
        assert f"{kind.usage}\n" in done.out
    assert "github.com/usnistgov/trec_eval" in done.out
    assert "available: crosscheck, conventions trec_eval-9.0.8 (candidate by default)" in done.out


def test_backends_tells_about_one_id(tmp_path: Path) -> None:
    """An id with its argument is described as it would be used."""
    done = crosscheck(tmp_path, "backends", "native:trec_eval-10", "recorded:nowhere")
    assert done.code == 0
    assert "native:trec_eval-10\n    available: crosscheck, conventions trec_eval-10" in done.out
    assert "recorded:nowhere\n    not available: nowhere: there is no such file" in done.out
    assert "python:" not in done.out


def test_explain_lists_the_labels(tmp_path: Path) -> None:
    """One line each, with what it means."""
    done = crosscheck(tmp_path, "explain")
    assert done.code == 0
    lines = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert lines == {label: cause.summary for label, cause in causes().items()}


def test_explain_tells_each_label_in_prose(tmp_path: Path) -> None:
    """Label, axis, the whole prose, and no line that is too wide to read."""
    for label, cause in causes().items():
        done = CliRunner().invoke(explain, [label])
        assert done.exit_code == 0
        assert done.output.startswith(f"{label}: {cause.summary}\n")
        assert done.output.endswith(f"\n{cause.explained}\n")
        assert (
            f"axis: {cause.name}\n" in done.output if isinstance(cause, Axis) else "axis:" not in done.output
        )
        assert max(map(len, done.output.splitlines())) <= 120
    assert crosscheck(tmp_path, "explain", label).out == done.output


def test_explain_tells_how_a_measure_is_computed(tmp_path: Path) -> None:
    """Under any of its names, with its parameters, other names and sources; no markup of docstrings."""
    for name in ("alpha_nDCG", "alpha-nDCG@10", "alpha_nDCG(alpha=0.3)@5"):
        done = crosscheck(tmp_path, "explain", name)
        assert done.code == 0
        assert done.out.startswith("alpha_nDCG(rel=1, alpha=0.5, judged_only=False)@k: ")
        assert "greedily" in done.out
    assert crosscheck(tmp_path, "explain", "ndcg_cut").out == crosscheck(tmp_path, "explain", "nDCG@10").out
    for name, family in families().items():
        done = CliRunner().invoke(explain, [name])
        assert done.exit_code == 0
        assert done.output.startswith(name)
        assert family.summary in done.output
        assert len(done.output.splitlines()) > 2
        assert not re.search(r"``|:\w+:`", done.output)


def test_profiles_are_listed_shown_and_compared(tmp_path: Path) -> None:
    """Without a name all of them, with one its axes, with two the axes on which they differ."""
    listed = crosscheck(tmp_path, "profiles")
    for profile in profiles().values():
        assert profile.name in listed.out
        assert profile.description in listed.out
    shown = dict(line.split() for line in crosscheck(tmp_path, "profiles", "trec_eval-10").out.splitlines())
    assert shown["score_precision"] == "float64"
    assert shown["depth"] == "none"
    compared = crosscheck(tmp_path, "profiles", "trec_eval-9.0.8", "trec_eval-10,gain=exponential")
    rows = [line.split() for line in compared.out.splitlines()]
    assert rows[0] == ["axis", "trec_eval-9.0.8", "trec_eval-10,gain=exponential"]
    assert ["score_precision", "float32", "float64"] in rows
    assert ["gain", "linear", "exponential"] in rows
    assert all(len(row) == 3 for row in rows)
    same = crosscheck(tmp_path, "profiles", "trec_eval-10", "trec_eval-10")
    assert (same.code, same.out) == (0, "no axis differs\n")


def test_schema_is_a_schema_that_real_output_fits(tmp_path: Path) -> None:
    """The printed schema validates a document with mismatches, errors, NaN and infinities."""
    printed = crosscheck(tmp_path, "schema")
    schema = json.loads(printed.out)
    jsonschema.Draft202012Validator.check_schema(schema)
    (tmp_path / "nan.py").write_text("def f(qrels, run):\n    return dict.fromkeys(run, float('nan'))\n")
    (tmp_path / "bad.py").write_text("def f(qrels, run):\n    raise ValueError\n")
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
