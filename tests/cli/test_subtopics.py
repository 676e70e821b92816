"""Measures over subtopics on the command line: judgements are read as they need them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import crosscheck

QRELS = "51 1 a 1\n51 1 b 1\n51 2 b 1\n51 2 c 2\n51 3 d 0\n52 1 a 1\n"
RUN = "51 Q0 b 1 0.5 t\n51 Q0 a 2 0.5 t\n51 Q0 c 3 0.25 t\n51 Q0 x 4 0.125 t\n52 Q0 a 1 0.5 t\n"
FUNCTION = '''
"""Share of the subtopics found, from what a function of a user is given."""


def found(qrels, run, k):
    result = {}
    for query, subtopics in qrels.items():
        top = sorted(run[query], key=lambda docno: (run[query][docno], docno), reverse=True)[:k]
        wanted = [d for d in subtopics.values() if max(d.values()) > 0]
        result[query] = sum(any(d.get(docno, 0) > 0 for docno in top) for d in wanted) / len(wanted)
    return result
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A case whose qrels name subtopics, and a function."""
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "qrels").write_text(QRELS)
    (tmp_path / "case" / "run.txt").write_text(RUN)
    (tmp_path / "mine.py").write_text(FUNCTION)
    return tmp_path


def test_the_cause_of_a_mismatch_with_pyndeval_is_named(folder: Path) -> None:
    """Its ties are ordered by docno ascending; with another order of ties it agrees."""
    pytest.importorskip("pyndeval")
    asked = ("case", "-m", "alpha_nDCG@2,ERR-IA@2,StRecall@1,P@1", "-b", "ir-measures", "--report", "json=-")
    done = crosscheck(folder, *asked, "--reference", "native")
    found = {c["measure"]: c for c in done.document()["comparisons"]}
    assert [name for name, c in found.items() if c["outcome"] == "match"] == ["P@1"]
    diagnosis = found["alpha_nDCG@2"]["diagnosis"]
    assert diagnosis["causes"] == ["tie-breaking"]
    assert diagnosis["strength"] == "consistent"
    assert diagnosis["conventions"] == {"ties": "docid-asc"}
    # No order is known to be the best or the worst of all.
    assert all(cell.get("ties") is None for cell in found["alpha_nDCG@2"]["cells"])
    assert crosscheck(folder, *asked, "--reference", "native:ties=docid-asc").code == 0


def test_a_function_is_given_the_subtopics(folder: Path) -> None:
    """As {query: {subtopic: {docno: level}}}, and as ever for other measures."""
    done = crosscheck(
        folder, "case", "-m", "StRecall@1", "-b", "python:mine.py:found", "--reference", "native"
    )
    assert done.code == 0, done.out


def test_a_harness_in_another_language_is_not_given_less(folder: Path) -> None:
    """Its protocol has no subtopics, so it is not asked; other measures are not lost with them."""
    asked = ("case", "-m", "StRecall@1", "-b", "exec:cat", "--reference", "native")
    done = crosscheck(folder, *asked, "--report", "text")
    assert "the judgements are per subtopic" in " ".join(done.out.split())


def test_ordinary_measures_alone_refuse_such_qrels(folder: Path) -> None:
    """Usage as ever: the document occurs twice, and the hint says what else the column could be."""
    done = crosscheck(folder, "case", "-m", "P@1")
    assert done.code == 2
    assert "document 'b' occurs twice under topic '51', on lines 2 and 3" in done.err
    assert "alpha_nDCG@10" in done.err


def test_evaluate_ties_and_compare_read_subtopics(folder: Path) -> None:
    """The other commands that take measures."""
    (folder / "other").write_text(RUN.replace("0.25", "0.75"))
    done = crosscheck(folder, "evaluate", "case/qrels", "case/run.txt", "-m", "StRecall@1", "-q")
    assert done.out.splitlines() == [
        "case/run.txt\tStRecall@1\t51\t1.0",
        "case/run.txt\tStRecall@1\t52\t1.0",
        "case/run.txt\tStRecall@1\tall\t1.0",
    ]
    done = crosscheck(folder, "ties", "case/qrels", "case/run.txt", "-m", "StRecall@1")
    assert done.code == 0
    assert "no order of tied documents is known to give its highest value" in " ".join(done.out.split())
    done = crosscheck(folder, "compare", "case/qrels", "case/run.txt", "other", "-m", "StRecall@1")
    assert done.code == 0
    done = crosscheck(
        folder, "impact", "case/qrels", "case/run.txt", "other", "-m", "StRecall@1",
        "--reference", "native", "--candidate", "native:ties=docid-asc",
    )  # fmt: skip
    assert done.code == 0, done.err


def test_an_audit_of_such_a_measure_is_refused(folder: Path) -> None:
    """Its inputs have no subtopics, so that agreement would mean nothing."""
    done = crosscheck(folder, "audit", "mine.py:found", "-m", "StRecall@1")
    assert done.code == 2
    assert "the inputs of an audit have none" in done.err
