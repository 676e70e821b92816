"""crosscheck in the place of another tool: each claim is held against the tool itself."""

import re
import warnings

import pandas
import pytest

import crosscheck
from crosscheck.conventions import conventions
from crosscheck.errors import InputError
from crosscheck.frames import evaluate_frames
from crosscheck.trec_eval.undefined import UNDEFINED
from tests.cli.command import crosscheck as command
from tests.measures import embedded


def files(folder):
    (folder / "qrels").write_text("1 0 a 1\n1 0 b 2\n2 0 a 1\n")
    (folder / "run").write_text("1 Q0 a 1 2 t\n2 Q0 c 1 1 t\n")
    return [str(folder / "qrels"), str(folder / "run")]


@pytest.mark.parametrize(("profile", "compat"), [("trec_eval-9.0.8", "9.0.8"), ("trec_eval-10", "10.0")])
def test_all_trec_is_that_of_the_profile(tmp_path, profile, compat):
    """10.0 has unj and rbp beside what 9.0.8 has: evaluate prints the names of trec_eval's output."""
    called = files(tmp_path)
    as_tsv = ("--output", "tsv", "--conventions", profile)
    evaluated = command(tmp_path, "evaluate", *called, "-m", "all_trec", *as_tsv).out
    printed = command(tmp_path, "trec_eval", "--compat", compat, "-m", "all_trec", *called).out
    names = {line.split("\t")[1] for line in evaluated.splitlines()}
    theirs = {line.split()[0] for line in printed.splitlines()} - {"runid", "relstring"}
    assert names == theirs
    assert bool(re.search(r"\tunj_5\t", evaluated)) is (compat == "10.0")


@pytest.mark.parametrize(
    ("measure", "conventions"), [("nDCG", "gain=exponential"), ("nDCG(dcg='exp-log2')@5", "trec_eval-9.0.8")]
)
def test_a_gain_that_is_no_double_is_an_error(tmp_path, measure, conventions):
    """Level 1,100 has a gain of 2^1100: no NaN, no warning of numpy; linear gain takes it."""
    qrels, run = {"1": {"a": 1100, "b": 1}}, {"1": {"a": 1.0, "b": 2.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match="1100"):
            crosscheck.evaluate(qrels, run, [measure], conventions=conventions)
        assert 0 < crosscheck.evaluate(qrels, run, ["nDCG"])["1"]["nDCG"] < 1
    (tmp_path / "qrels").write_text("1 0 a 1100\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    done = command(tmp_path, "evaluate", "qrels", "run", "-m", measure, "--conventions", conventions)
    assert done.code == 2
    assert "too large" in done.err


#: What trec_eval 10.0 does with judged queries without results, and what may be said instead.
ENDS = "trec_eval 10.0 fails on judged queries without results"


def test_trec_eval_10_fails_on_missing_topics(tmp_path):
    """As the program (exit code 4 there), until it is said what such a query is worth."""
    qrels, run = files(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n\u00e9 0 a 1\n", "utf-8")
    assert command(tmp_path, "trec_eval", "--compat", "10.0", qrels, run).code == 4
    done = command(tmp_path, "evaluate", qrels, run, "-m", "RR", "--conventions", "trec_eval-10")
    assert (done.code, done.out) == (2, "")
    assert f"{run}: {ENDS}\n  found:    '2 of 4: 3, \u00e9'" in done.err
    for spec, mean in {
        "trec_eval-10-c": 0.25,
        "trec_eval-10,missing_queries=dropped": 0.5,
        "trec_eval-10,missing_queries=zero": 0.25,
        "trec_eval-9.0.8": 0.5,
    }.items():
        done = command(tmp_path, "evaluate", qrels, run, "-m", "RR", "--conventions", spec, "--output", "tsv")
        assert (done.code, done.out) == (0, f"{run}\tRR\tall\t{mean}\n")


@pytest.mark.parametrize(
    "spec",
    ["trec_eval-10", "trec_eval-10,gain=exponential", conventions("trec_eval-10").with_changes(depth=5)],
)
def test_the_profile_of_trec_eval_10_fails_in_python(spec):
    """Every function that evaluates under it, on a run that lacks a query and on no other."""
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}
    columns = {"docid": "a", "score": 1.0, "rank": 1, "rel": 1}
    rows = [pandas.DataFrame({"query": list(of)} | columns) for of in (run, qrels)]
    for call in (
        lambda: crosscheck.evaluate(qrels, run, ["RR"], conventions=spec),
        lambda: crosscheck.evaluate_runs(qrels, [run], ["RR"], conventions=spec),
        lambda: evaluate_frames(*rows, conventions=spec),
    ):
        with pytest.raises(InputError, match=ENDS):
            call()
    counted = crosscheck.evaluate(qrels, {**run, "2": {}}, ["RR"], conventions="trec_eval-10-c")
    assert counted["2"] == {"RR": 0}
    other = crosscheck.evaluate({"1": {"a": 1}}, {**run, "2": {"a": 1}}, ["RR"], conventions=spec)
    assert other == {"1": {"RR": 1}}


@pytest.mark.parametrize(
    ("profile", "measure", "run", "said"),
    [
        ("ranx", "RR", {"1": {"a": 1.0, "b": 0.5}}, "ranx 0.3.21 fails on judged queries without"),
        ("hf-evaluate", "nDCG@5", {"1": {"a": 1.0}, "3": {"a": 1.0}}, "on queries without judgements"),
        ("sklearn", "nDCG", {"1": {"a": 1.0}, "2": {"a": 1.0, "b": 0.5}}, "on a list of one document"),
        ("ir-measures", "ERR@5", {"1": {"a": 1.0}, "x": {"a": 1.0}}, "on query ids that are not numbers"),
    ],
)
def test_a_tool_that_ends_with_an_error_has_no_number(profile, measure, run, said):
    """What the tool cannot say is not said in its name, until it is said what to do."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    with pytest.raises(InputError, match=said):
        crosscheck.evaluate(qrels, run, [measure], conventions=profile)
    assert crosscheck.evaluate(qrels, run, [measure], conventions=f"{profile},missing_queries=zero")


def test_topics_with_negative_levels_only_are_as_explained(tmp_path):
    """9.0.8's own C functions do what is told, and so do our commands; 10.0's number is one it printed."""
    if embedded.why_not() is not None:
        pytest.skip(str(embedded.why_not()))
    told = next(entry for entry in UNDEFINED if entry.label == "only-negative-judgements")
    assert told.trec_eval.startswith("Exit code 4 if it is the first topic, a segmentation fault if its")
    assert "but for ideal_dcg of 10.0, which is that of the topic before." in told.trec_eval
    run = b"1 Q0 a 1 3 t\n1 Q0 c 2 2 t\n2 Q0 x 1 2 t\n2 Q0 q 2 1 t\n"
    first, second = b"1 0 a -1\n2 0 x 1\n", b"1 0 a 1\n1 0 c 2\n2 0 x -1\n2 0 y -1\n"
    lower = b"1 0 a 1\n1 0 c 2\n2 0 x -2\n"
    asked = ["-q", "-m", "map", "-m", "ndcg"]
    theirs = embedded.ask((asked, {"qrels": qrels, "run": run}) for qrels in (first, second, lower))
    assert [ended.code for ended in theirs] == [4, 0, -11]
    (tmp_path / "run").write_bytes(run)
    for compat in ("9.0.8", "10.0"):
        for qrels, ended in zip((first, second, lower), theirs, strict=True):
            (tmp_path / "qrels").write_bytes(qrels)
            ours = command(tmp_path, "trec_eval", "--compat", compat, *asked, "qrels", "run")
            assert ours.code == max(ended.code, 0)
            if ended.code == 0:
                assert ours.out.encode() == ended.stdout
            elif qrels == lower:
                assert "map                   \t2\t0.0000\n" in ours.out
    (tmp_path / "qrels").write_bytes(second)
    asked = ["-q", "-n", "-m", "ideal_dcg", "qrels", "run"]
    printed = command(tmp_path, "trec_eval", "--compat", "10.0", *asked).out.split()
    # The program, built from its tag v10.0, prints 2.6309 twice on these files.
    assert printed == ["ideal_dcg", "1", "2.6309", "ideal_dcg", "2", "0.0000"]
    assert told.trec_eval in " ".join(command(tmp_path, "explain", "trec_eval-undefined").out.split())
