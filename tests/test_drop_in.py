"""crosscheck in the place of another tool: each claim is held against the tool itself."""

import re
from pathlib import Path

import pytest

import crosscheck
from crosscheck import evaluate
from crosscheck.conventions import conventions
from crosscheck.errors import InputError
from crosscheck.frames import evaluate_frames
from crosscheck.trec_eval.undefined import UNDEFINED
from tests.cli.command import crosscheck as command
from tests.measures import embedded
from tests.support.kept import Kept


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


def called(texts, words):
    """A command on these files: what it says, and its exit code."""
    for name, text in texts.items():
        Path(name).write_text(text, "utf-8")
    done = command(Path(), *words.split())
    return f"{done.out}{done.err}exit code {done.code}"


def tool(profile, measure, qrels, run):
    """The error that a tool ends with, and the value once missing queries are said to count as 0."""
    value = evaluate(qrels, run, [measure], conventions=f"{profile},missing_queries=zero")
    with pytest.raises(InputError) as caught:
        evaluate(qrels, run, [measure], conventions=profile)
    return f"{caught.value}\n{value}"


FUNCTIONS = (called, tool, evaluate, crosscheck.evaluate_runs, evaluate_frames, conventions)
EXAMPLES = Kept(__file__, **{one.__name__: one for one in FUNCTIONS})
# Where a tool fails there is no number, until it is said what to do; no NaN, no warning of numpy.
test_examples = pytest.mark.filterwarnings("error", "ignore::crosscheck.errors.InputWarning")(EXAMPLES.test())


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
