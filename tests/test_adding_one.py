"""A new measure or backend is one file that nothing else has to know of; an axis is also named in a table."""

from __future__ import annotations

from pathlib import Path

from tests.support.adding import copied, insert, python

MEASURE = '''
"""Rank of the first relevant document."""

import numpy as np

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.measures.base import Family, relevant


def first_rank(judged, conventions, measure):
    """1-based rank, 0.0 where nothing relevant was retrieved."""
    topic, rank = relevant(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    result = np.zeros(judged.num_topics)
    result[topic[::-1]] = rank[::-1]
    return result


FAMILIES = (
    Family(
        name="FirstRank",
        compute=first_rank,
        summary="rank of the first relevant document",
        cutoff="optional",
    ),
)
'''
BACKEND = '''
"""Everything is one half."""

from crosscheck.backends.base import Backend, BackendFactory, Description
from crosscheck.model import MeasureValues


class Half(Backend):
    id = "half"
    isolated = False
    conventions = None

    def describe(self):
        return Description(id="half", version="1", engine="one half", available=True)

    def supports(self, measure):
        return True

    def evaluate(self, qrels, run, measures):
        return {m: MeasureValues(dict.fromkeys(run.topics, 0.5), None, "one half") for m in measures}


FACTORY = BackendFactory(
    name="half", make=lambda argument, options: Half(), usage="half", summary="one half, whatever is asked"
)
'''
AXIS = '''
"""The number of the first rank."""

from crosscheck.axes.base import Axis, Example, Numbers, Stage

RR_BASE: Axis[int] = Axis(
    name="rr_base",
    default=1,
    numbers=Numbers(least=0, none=False),
    stage=Stage.FORMULA,
    label="rank-base",
    priority=40,
    summary="reciprocal rank counts ranks from 0",
    clause="ranks are counted from {}",
    words={"n": "{n}"},
    prose="trec_eval counts ranks from 1. Code that takes an index for a rank counts from 0.\\n",
    example=Example(
        qrels=("1 0 a 1",),
        run=("1 Q0 x 1 3.0 tag", "1 Q0 y 2 2.0 tag", "1 Q0 a 3 1.0 tag"),
        values=(("RR", "", 0.3333), ("RR", "rr_base=0", 0.5)),
        says="RR = {}; {} counted from 0.",
    ),
    way_out="count from 1.",
    needs="first relevant documents below rank 2",
    tried=lambda view: [0, 1],
    gate=lambda view: view.over_all_topics(view.found() > view.found(1)),
)
'''
#: What reads the axis: in the file of the formula its import, the line itself, and its name among the reads.
FORMULA = [
    ("RR_OF, RrOf\n", "RR_OF, RrOf\nfrom crosscheck.axes.rr_base import RR_BASE\n"),
    ("    return rank\n", "    return np.maximum(rank - 1 + conventions[RR_BASE], 1)\n"),
    ("reads=(RR_CUTOFF, RR_OF)", "reads=(RR_CUTOFF, RR_OF, RR_BASE)"),
]
METRIC = """
def from_zero(qrels, run):
    values = {}
    for query in run.keys() & qrels.keys():
        ranking = sorted(run[query].items(), key=lambda item: (item[1], item[0]), reverse=True)
        hits = [i for i, (doc, _) in enumerate(ranking) if qrels[query].get(doc, 0) > 0]
        values[query] = 1 / max(hits[0], 1) if hits else 0.0
    return values
"""
PROGRAM = """
import crosscheck

run = {q: {d: 9.0 - i for i, d in enumerate("abcdefg")} for q in "123456"}
qrels = {q: {d: 1} for q, d in zip("123456", "acdgef")}
for setting in ("rr_base=1", "rr_base=0", "rr_base=0,ties=average", "rr_base=0,ties=input"):
    print(sorted(of["RR"] for of in crosscheck.evaluate(qrels, run, ["RR"], conventions=setting).values()))
theirs = {q: of["RR"] for q, of in crosscheck.evaluate(qrels, run, ["RR"], conventions="rr_base=0").items()}
found = crosscheck.diagnose(qrels, run, "RR", theirs)
print(found.causes, found.conventions, found.explanation)
print(crosscheck.diagnose(qrels, run, "P@5", {q: 0.123 for q in "123456"}).causes)
"""


def test_one_file_adds_a_measure_and_one_a_backend(tmp_path: Path) -> None:
    """In a copy of the package, two new files are found by names, harness and command line."""
    package = copied(tmp_path)
    (package / "measures" / "first_rank.py").write_text(MEASURE, "utf-8")
    (package / "backends" / "half.py").write_text(BACKEND, "utf-8")
    case = tmp_path / "case"
    case.mkdir()
    (case / "qrels").write_text("1 0 a 1\n", "utf-8")
    (case / "run.txt").write_text("1 Q0 b 1 2.0 tag\n1 Q0 a 2 1.0 tag\n", "utf-8")
    done = python(
        tmp_path,
        *("-m", "crosscheck", "case", "-m", "FirstRank,RR", "-b", "half"),
        *("--reference", "native", "--report", "text", "--quiet"),
    )
    assert done.returncode == 1, done.stderr
    assert "FirstRank" in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.split()[:1] == ["FirstRank"])
    assert row.split()[1:3] == ["2.0000", "0.5000"]
    # RR of rank 2 is one half: the new backend agrees there.
    assert "1 of 2 comparisons agree" in " ".join(done.stdout.split())


def test_one_file_its_name_and_its_use_in_a_formula_add_an_axis(tmp_path: Path) -> None:
    """``rr_base``: values under it in every order of ties, its diagnosis, explanation, report and audit."""
    package = copied(tmp_path)
    (package / "axes" / "rr_base.py").write_text(AXIS, "utf-8")
    insert(package / "axes" / "base.py", '    "rr_base": ("rr_base",),\n', after="FILES = {\n")
    formula = package / "measures" / "reciprocal_rank.py"
    for before, after in FORMULA:
        text = formula.read_text("utf-8")
        assert text.count(before) == 1
        formula.write_text(text.replace(before, after), "utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    (tmp_path / "metric.py").write_text(METRIC, "utf-8")

    done = python(tmp_path, "program.py")
    assert done.stderr == ""
    one, zero, averaged, unaltered, diagnosis, other = done.stdout.splitlines()
    assert one == str(sorted(1 / rank for rank in (1, 3, 4, 7, 5, 6)))
    assert zero == averaged == unaltered == str(sorted(1 / rank for rank in (1, 2, 3, 6, 4, 5)))
    assert diagnosis == "['rank-base'] {'rr_base': 0} ranks are counted from 0 instead of 1."
    assert other == "['unexplained']"

    explained = python(tmp_path, "-m", "crosscheck", "explain", "rank-base").stdout
    assert explained.startswith("rank-base: reciprocal rank counts ranks from 0\naxis: rr_base\n")
    assert explained.endswith("RR = 0.3333; 0.5 counted from 0.\nWay out: count from 1.\n")
    assert "rr_base                0" in python(tmp_path, "-m", "crosscheck", "profiles", "rr_base=0").stdout

    case = tmp_path / "case"
    case.mkdir()
    (case / "qrels").write_text("".join(f"{q} 0 {d} 1\n" for q, d in enumerate("acdg", 1)), "utf-8")
    lines = [f"{q} Q0 {d} {i} {9 - i} tag\n" for q in range(1, 5) for i, d in enumerate("abcdefg", 1)]
    (case / "run.txt").write_text("".join(lines), "utf-8")
    report = python(
        tmp_path,
        *("-m", "crosscheck", "case", "-m", "RR", "-b", "python:metric.py:from_zero"),
        *("--reference", "native", "--report", "text", "--quiet"),
    )
    assert report.returncode == 1, report.stderr
    for said in ("rank-base", "ranks are counted from 0 instead of 1", "rr_base=0"):
        assert said in " ".join(report.stdout.split())

    audit = python(tmp_path, "-m", "crosscheck", "audit", "metric.py:from_zero", "-m", "RR")
    assert audit.returncode == 1, audit.stderr
    for said in ("rr_base", "rank-base: ranks are counted from 0 instead of 1. Way out: count from 1."):
        assert said in " ".join(audit.stdout.split())
