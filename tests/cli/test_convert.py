"""``crosscheck convert``: the same data in another form, whole or not at all."""

import json
from pathlib import Path

import pytest

import crosscheck
from crosscheck.cli.convert import FORMS
from tests.cli.command import crosscheck as command

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 2\n10 0 a -1\n"
#: Ties, scores that need all digits, an order that is not that of the scores, queries in no order.
RUN = "2 Q0 c 1 0.1 t\n2 Q0 x 2 0.30000000000000004 t\n10 Q0 a 9 1e-300 t\n1 Q0 b 1 2 t\n1 Q0 a 2 2 t\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "mixed").write_text("".join(sorted(RUN.splitlines(keepends=True), key=lambda line: line[6:])))
    return tmp_path


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("run", ["run", "mixed"])
def test_values_are_those_of_the_trec_file(folder, form, run):
    """To the last bit, from the run in this form and from the qrels in it; also where it is read as a whole,
    because the lines of a query do not follow each other."""
    values = crosscheck.evaluate(str(folder / "qrels"), str(folder / "run"), ["AP", "nDCG", "RR", "bpref"])
    written = {"qrels": str(folder / "qrels"), run: str(folder / run)}
    for name in [*["qrels"], *[run] * (form != "beir")]:
        out = folder / f"{name}.out"
        done = command(folder, "convert", name, out.name, "--to", form)
        assert (done.code, done.out) == (0, ""), done
        held = "5 results" if name == run else "4 judgements"
        assert done.err == f"crosscheck: wrote {held} to '{out.name}' as {form}\n"
        written[name] = str(out)
    assert crosscheck.evaluate(written["qrels"], written[run], ["AP", "nDCG", "RR", "bpref"]) == values
    if form not in ("msmarco", "beir"):  # which hold no scores
        scores = {q: dict(d) for q, d in json.loads(_nested(folder, written[run])).items()}
        assert scores == json.loads(_nested(folder, str(folder / "run")))


def _nested(folder: Path, path: str) -> str:
    done = command(folder, "convert", path, "-", "--to", "json", "--kind", "run", "--quiet")
    assert done.code == 0, done
    return done.out
