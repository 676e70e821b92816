"""The commands that explain: help, version, backends, explain, profiles, schema."""

import re

from crosscheck import __version__
from crosscheck.axes.base import Axis
from crosscheck.backends import factories
from crosscheck.conventions import profiles
from crosscheck.explain.labels import causes
from crosscheck.measures import families
from crosscheck.report.json_report import schema
from tests.cli.command import crosscheck


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


def test_profiles_are_listed_and_compared(tmp_path):
    """Without a name all of them; a profile may have settings after it. One, and two that differ, are among
    the kept outputs."""
    listed = crosscheck(tmp_path, "profiles").out
    assert all(f"{one.name} " in listed and one.description in listed for one in profiles().values())
    for other, differs in (("trec_eval-10", "no axis differs"), ("trec_eval-10,depth=5", "5")):
        done = crosscheck(tmp_path, "profiles", "trec_eval-10", other)
        assert (done.code, done.out.split()[-len(differs.split()) :]) == (0, differs.split())


def test_the_schema_is_printed(tmp_path):
    """That of a run, or of another kind of document; report/test_formats.py holds documents against them."""
    assert crosscheck(tmp_path, "schema").out == schema()
    assert crosscheck(tmp_path, "schema", "audit").out == schema("audit")
