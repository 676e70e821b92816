"""crosscheck in the place of another tool: each claim is held against the tool itself."""

from pathlib import Path

import pytest

import crosscheck
from crosscheck.errors import InputError
from tests.cli.command import crosscheck as command
from tests.measures import embedded
from tests.support.kept import Kept


def called(files, words):
    """A command on these files: what it says, and its exit code."""
    for name, text in files.items():
        Path(name).write_text(text, "utf-8")
    done = command(Path(), *words.split())
    return f"{done.out}{done.err}exit code {done.code}"


def tool(profile, measure, qrels, run):
    """The error that a tool ends with, and the value once missing queries are said to count as 0."""
    value = crosscheck.evaluate(qrels, run, [measure], conventions=f"{profile},missing_queries=zero")
    with pytest.raises(InputError) as caught:
        crosscheck.evaluate(qrels, run, [measure], conventions=profile)
    return f"{caught.value}\n{value}"


EXAMPLES = Kept(__file__, called=called, tool=tool)
# Where a tool fails there is no number, until it is said what to do; no NaN, no warning of numpy.
test_examples = pytest.mark.filterwarnings("error", "ignore::crosscheck.errors.InputWarning")(EXAMPLES.test())


@pytest.mark.skipif(embedded.why_not() is not None, reason=str(embedded.why_not()))
@pytest.mark.parametrize(
    ("qrels", "code"),
    [
        ("1 0 a -1\n2 0 x 1\n", 4),
        ("1 0 a 1\n1 0 c 2\n2 0 x -1\n2 0 y -1\n", 0),
        ("1 0 a 1\n1 0 c 2\n2 0 x -2\n", -11),
    ],
)
def test_topics_with_negative_levels_only_are_as_explained(qrels, code, tmp_path, monkeypatch):
    """9.0.8's own C functions do what is told, and so do our commands; where these crash, the topic has 0."""
    monkeypatch.chdir(tmp_path)
    run = "1 Q0 a 1 3 t\n1 Q0 c 2 2 t\n2 Q0 x 1 2 t\n2 Q0 q 2 1 t\n"
    asked = ["-q", "-m", "map", "-m", "ndcg"]
    (theirs,) = embedded.ask([(asked, {"qrels": qrels.encode(), "run": run.encode()})])
    assert theirs.code == code
    for compat in ("9.0.8", "10.0"):
        files = {"qrels": qrels, "run": run}
        ours = called(files, f"trec_eval --compat {compat} {' '.join(asked)} qrels run")
        assert ours.endswith(f"exit code {max(code, 0)}")
        assert code != 0 or ours == f"{theirs.stdout.decode()}exit code 0"
        assert code >= 0 or "map                   \t2\t0.0000\n" in ours
