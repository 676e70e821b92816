"""``crosscheck diff``: two saved outputs, query by query."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import crosscheck as api
from tests.cli.command import Done, crosscheck
from tests.harness.data import write_case

QRELS = {"1": {"a": 1, "b": 3}, "2": {"c": 2, "d": 1}, "3": {"e": 1}}
RUN = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "c", 1.0)]
NAMES = ["ndcg_cut_10", "P_5"]


def save(path: Path, case: Path, conventions: str = "trec_eval-9.0.8", names: list[str] = NAMES) -> None:
    """What trec_eval -q prints of a case under given conventions, and in ``PATH.means`` the means alone."""
    values = api.evaluate(str(case / "qrels"), str(next(case.glob("run*"))), names, conventions=conventions)
    rows = [f"{name}\t{query}\t{row[name]:.4f}\n" for query, row in values.items() for name in names]
    means = [f"{m}\tall\t{sum(row[m] for row in values.values()) / len(values):.4f}\n" for m in names]
    path.write_text("".join(rows + means))
    path.with_name(f"{path.name}.means").write_text("".join(means))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """``a`` as trec_eval -q prints it, ``b.json`` with other gains, ``c`` as ``a`` with -c."""
    case = write_case(tmp_path / "case", QRELS, RUN)
    save(tmp_path / "a", case)
    save(tmp_path / "c", case, "missing_queries=zero")
    odd = "runid                 \tall\ttest\nmoose                 \tall\t1.0000\nelk_5\t1\t0.1000\n"
    (tmp_path / "a").write_text(odd + (tmp_path / "a").read_text())
    files = str(case / "qrels"), str(case / "run")
    other = api.evaluate(*files, ["nDCG@10", "P@5", "AP"], conventions="gain=exponential")
    (tmp_path / "b.json").write_text(json.dumps(other))
    return tmp_path


def diff(folder: Path, *given: object, case: str = "case", run: str = "run") -> Done:
    return crosscheck(folder, "diff", *given, "--qrels", f"{case}/qrels", "--run", f"{case}/{run}")


def compared(folder: Path, *given: object, **about: str) -> dict[str, Any]:
    """The document of a comparison."""
    return dict(diff(folder, *given, "--report", "json=-", **about).document())


def test_two_outputs_are_compared_on_what_they_have_in_common(saved):
    """Different layouts and spellings, 4 decimals against full precision: only the gain differs. Each side
    has its own names and digits; means alone are compared as well; no file is written unless asked for."""
    before = sorted(os.listdir(saved))
    document = compared(saved, "a", "b.json")
    found = {c["measure"]: c for c in document["comparisons"]}
    assert (document["reference"], list(found)) == ("recorded:a", ["nDCG@10", "P@5"])
    diagnosis = found["nDCG@10"]["diagnosis"]
    assert found["P@5"]["outcome"] == "match"
    assert (diagnosis["causes"], diagnosis["strength"]) == (["gain"], "consistent")
    assert "only 2 queries differ" in diagnosis["explanation"]
    for c, theirs in zip(found.values(), NAMES, strict=True):
        assert (c["reference_name"], c["candidate_name"]) == (theirs, c["measure"])
        assert (c["reference_decimals"], c["candidate_decimals"], c["decimals"]) == (4, None, 4)
    assert sorted(os.listdir(saved)) == before
    (saved / "odd").write_text("ndcg_cut_10\tall\t0.0123\nP_5\tall\t0.3000\n")
    done = diff(saved, "odd", "a", "-m", "nDCG@10")
    said = "No known conventions give the mean of the reference recorded:odd itself, so the cause of"
    assert (done.code, said in " ".join(done.out.split())) == (1, True)


def test_measures_of_one_output_are_said(saved):
    """By the names that they have there; nothing is said where measures are chosen, or nothing is missing."""
    for extra in ("map\t1\t0.5000", "Rprec\tall\t0.2500"):
        (saved / "more").write_text((saved / "a").read_text() + extra + "\n")
        (note,) = compared(saved, "a", "more")["inputs"][0]["notes"]
        assert note == f"not compared, because only more has them: {extra.split()[0]}"
    done = diff(saved, "b.json", "more")
    for name, lacking in (("b.json", "AP"), ("more", "Rprec")):
        assert f"not compared, because only {name} has them: {lacking}" in " ".join(done.out.split())
    assert "left out 2 measures that crosscheck does not have: elk_5, moose" in done.err
    for given in (("a", "more", "-m", "P_5"), ("a", "c")):
        assert compared(saved, *given)["inputs"][0]["notes"] == []


@pytest.mark.parametrize("rows", [{"1": 0.1234, "2": 0.7331, "all": 0.4282}, {"all": 0.4282}])
def test_outputs_of_another_run_are_told_in_the_first_sentence(saved, rows):
    """Not as a difference that no convention explains: the reference already is not of this run."""
    (saved / "d").write_text("".join(f"ndcg_cut_10 {query} {value}\n" for query, value in rows.items()))
    told = " ".join(diff(saved, "d", "c" if len(rows) > 1 else "c.means").out.split())
    assert ": recorded:d itself is not what a known convention gives for this run and these qrels (" in told
    assert "no known convention explains it" not in told


def test_the_output_of_ir_measures_has_the_query_first(saved):
    """It holds the same values as that of trec_eval; one measure is not "1 measures"."""
    lines = [line.split() for line in (saved / "a").read_text().splitlines()]
    known = [line for line in lines if line[0] in NAMES]
    (saved / "turned").write_text("".join(f"{topic}\t{name}\t{value}\n" for name, topic, value in known))
    (saved / "one").write_text("".join(" ".join(line) + "\n" for line in [*known, ["elk_5", "1", "0.1"]]))
    done = diff(saved, "one", "turned")
    assert done.code == 0
    assert "left out 1 measure that crosscheck does not have: elk_5" in done.err


def test_queries_without_a_value_are_said_beside_those_that_agree(saved):
    """An output that ended early, on either side; a value that differs is not passed over."""
    lines = (saved / "c").read_text().splitlines()
    (saved / "part").write_text("\n".join(line for line in lines if line.split()[1] != "2"))
    (saved / "wrong").write_text("\n".join(lines[:2]).replace("\t0.", "\t0.1"))
    agreeing = "no value for 1 query, and the other 2 agree (1 of 3 queries)"
    for a, b, said in (
        ("c", "part", f"it has {agreeing}. Query 2: no value"),
        ("part", "c", f"the reference has {agreeing}"),
        ("c", "wrong", "no known convention explains it (3 of 3 queries)"),
    ):
        assert said in " ".join(diff(saved, a, b).out.split())


def test_what_is_compared_decides_the_exit_code(saved):
    """A copy agrees, a wide tolerance makes any two agree; a measure that a file lacks decides nothing."""
    (saved / "copy").write_bytes((saved / "a").read_bytes())
    for given, code in (
        (("a", "copy"), 0),
        (("a", "b.json", "--tolerance", "0.9"), 0),
        (("a", "b.json", "-m", "P_5", "-m", "AP"), 0),
        (("a", "b.json", "-m", "AP"), 3),
    ):
        assert diff(saved, *given).code == code, given
    found = compared(saved, "a", "b.json", "-m", "P_5", "-m", "AP")["comparisons"]
    assert {c["measure"]: c["outcome"] for c in found} == {"P@5": "match", "AP": "unsupported"}


def test_summaries_are_explained_through_their_means(tmp_path):
    """The reference's mean is met by trec_eval's conventions, or by those that another tool has; whether one
    of the two has values per query as well makes no difference to the cause."""
    graded = {"1": {"a": 1, "b": 3, "f": 2}, "2": {"c": 2, "d": 1}, "3": {"e": 1}}
    ranked = {"1": "axb", "2": "yd", "3": "e"}
    run = [(q, d, 9.0 - i) for q, docnos in ranked.items() for i, d in enumerate(docnos)]
    case = write_case(tmp_path / "case", graded, run)
    gains = {"linear": "the relevance level", "exponential": "2^level - 1"}
    for name in gains:
        save(tmp_path / name, case, f"gain={name}")
    files = [(gain, f"{gain}{end}") for gain in gains for end in ("", ".means")]
    for (mine, a), (other, b) in ((one, two) for one in files for two in files if one != two):
        done = diff(tmp_path, a, b, "--verbose")
        text = " ".join(done.out.split())
        assert done.code == int(mine != other), (a, b)
        if mine != other:
            assert f"cause gain: the gain is {gains[other]} instead of {gains[mine]}" in text, (a, b)
            assert "No known conventions" not in text
            assert (f"recorded:{a} has no values per query" in text) == a.endswith(".means")
