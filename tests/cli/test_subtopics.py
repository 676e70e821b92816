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


def test_backends_are_given_the_subtopics_or_not_asked(folder: Path) -> None:
    """A function gets {query: {subtopic: {docno: level}}}; the protocol of a harness in another language has
    no subtopics. Ordinary measures alone refuse such qrels as ever: the document occurs twice, and the hint
    says what else the column could be. The inputs of an audit have none: agreement would mean nothing."""
    for given, code, said in (
        (("case", "-m", "StRecall@1", "-b", "python:mine.py:found", "--reference", "native"), 0, "agree"),
        (
            ("case", "-m", "StRecall@1", "-b", "exec:cat", "--reference", "native"),
            3,
            "judgements are per subtopic",
        ),
        (("case", "-m", "P@1"), 2, "document 'b' occurs twice under topic '51', on lines 2 and 3"),
        (("case", "-m", "P@1"), 2, "alpha_nDCG@10"),
        (("audit", "mine.py:found", "-m", "StRecall@1"), 2, "the inputs of an audit have none"),
    ):
        done = crosscheck(folder, *given)
        assert (done.code, said in " ".join(f"{done.out} {done.err}".split())) == (code, True), done


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
