"""A new label without an axis, profile or property needs only one file."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from tests.support.adding import commands, copied, insert, python

LABEL = """
COMPLEMENT = Label(
    label="complement",
    priority=50,
    summary="the values are one minus trec_eval's",
    prose="A tool may print the error in place of the value.\\n",
    example=Example(
        qrels=("1 0 a 1",),
        run=("1 Q0 x 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
        values=(("P@1", "", 0.0),),
        says="P@1 = {}; its complement is 1.",
    ),
    way_out="subtract from one.",
)
"""
#: The lines that earn it: its import, and what must be seen.
EARNED = """\
    if np.array_equal(differences.candidate.values, 1 - differences.reference.values):
        return recorded(question, explained(question, [COMPLEMENT.label]))
"""
EXPECTED = """
measures = ["P@4"]

[[expect]]
candidate = "recorded:recorded.tool.json"
measure = "P@4"
causes = ["complement"]
strength = "proved"
reason = "prints the error"
"""
PROFILE = """
[sloppy]
base = "trec_eval-10"
depth = 7
gain = "exponential"
discount = "unknown"
description = "a tool that does as it likes"
evidence = "read"
source = "sloppy 0.1"
"""
PROGRAM = """
from crosscheck import UsageError, evaluate, profiles
from crosscheck.auditing.fingerprint import nearest_profile
from crosscheck.conventions import conventions
from crosscheck.model import Measure

qrels, run = {"1": {"a": 1, "b": 3}}, {"1": {"a": 2.0, "b": 1.0}}
print(evaluate(qrels, run, ["P@1"], conventions="sloppy")["1"]["P@1"])
print(evaluate(qrels, run, ["nDCG"], conventions="sloppy,discount=log2(i+1)")["1"]["nDCG"])
try:
    evaluate(qrels, run, ["nDCG"], conventions="sloppy")
except UsageError as error:
    print(str(error).splitlines()[0])
nearest = nearest_profile(Measure("nDCG"), conventions("depth=7,gain=exponential"), {}, ["depth", "gain"])
print(nearest.name, nearest.differs)
"""


PROPERTY = """

@law("one-decimal", "its {values have|value has more than} one decimal", lambda vs: round(vs[0], 1) == vs[0])
def its_value(query: Query, setting: Setting) -> _Compared:
    yield (query,)
"""


def test_one_object_and_the_lines_that_earn_it_add_a_label(tmp_path: Path) -> None:
    """``complement``: explained, listed, allowed in expectations, and found by ``run``."""
    package = copied(tmp_path)
    causes, diagnosis = package / "explain" / "labels.py", package / "explain" / "diagnose.py"
    causes.write_text(causes.read_text("utf-8") + LABEL, "utf-8")
    imports = "from crosscheck.explain.evidence import Evidence\n"
    insert(diagnosis, "from crosscheck.explain.labels import COMPLEMENT\n", after=imports)
    insert(diagnosis, EARNED, after="        return recorded(question, noise(question))\n")
    case = tmp_path / "case"
    case.mkdir()
    (case / "case.toml").write_text(EXPECTED, "utf-8")
    (case / "qrels").write_text("".join(f"{q} 0 d 1\n" for q in "123"), "utf-8")
    (case / "run.txt").write_text("".join(f"{q} Q0 d 1 1.0 tag\n" for q in "123"), "utf-8")
    (case / "recorded.tool.json").write_text(json.dumps({q: {"P_4": 0.75} for q in "123"}), "utf-8")

    listed, explained, mistyped, run = commands(
        tmp_path,
        "explain",
        "explain complement",
        "explain complemnt",
        "run case --reference native --report text --verbose --quiet",
    )
    order = [line.split()[0] for line in listed.out.splitlines()]
    # By priority: behind all axes that explain more, and before what nothing explains.
    assert order.index("gain") < order.index("complement") < order.index("unexplained")
    assert "the values are one minus trec_eval's" in listed.words
    assert explained.out.startswith("complement: the values are one minus trec_eval's\n\nA tool may")
    assert explained.out.endswith("P@1 = 0.0; its complement is 1.\nWay out: subtract from one.\n")
    assert (mistyped.code, "did you mean complement?" in mistyped.err) == (2, True)
    assert run.code == 0, run
    assert "complement: the values are one minus trec_eval's" in run.words


def test_a_few_lines_add_a_profile(tmp_path: Path) -> None:
    """Listed, shown axis by axis with what is unknown, a backend, a convention, and a nearest profile."""
    file = copied(tmp_path) / "profiles.toml"
    file.write_text(file.read_text("utf-8") + PROFILE, "utf-8")
    listed, shown, compared, backend = commands(
        tmp_path, "profiles", "profiles sloppy", "profiles trec_eval-10 sloppy", "backends native:sloppy"
    )
    assert "sloppy a tool that does as it likes [read: sloppy 0.1]" in listed.words
    values = dict(line.split() for line in shown.out.splitlines())
    assert (values["gain"], values["discount"]) == ("exponential", "unknown")
    assert values["score_precision"] == "float64"
    assert [line.split()[0] for line in compared.out.splitlines()] == ["axis", "depth", "gain", "discount"]
    assert "available: crosscheck, conventions sloppy" in backend.out

    done = python(tmp_path, "-c", PROGRAM)
    assert done.stderr == ""
    precision, ndcg, refused, nearest = done.stdout.splitlines()
    assert precision == "1.0"
    assert float(ndcg) == pytest.approx((1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3)))
    assert refused.startswith("discount is unknown under these conventions")
    assert nearest == "sloppy []"


def test_a_function_adds_a_property(tmp_path: Path) -> None:
    """Tried on any metric, said with the smallest input, and in the document of an audit."""
    laws = copied(tmp_path) / "inputs" / "laws.py"
    laws.write_text(laws.read_text("utf-8") + PROPERTY, "utf-8")
    source = "def f(gains): return sum(gain > 0 for gain in gains) / len(gains)\n"
    (tmp_path / "m.py").write_text(source, "utf-8")
    (tried,) = commands(tmp_path, "audit m.py:f --properties --quiet")
    assert tried.code == 1
    assert "one-decimal: its value has more than one decimal" in tried.words
    assert "query 1 0.3333333333333333" in tried.words
    assert "unjudged-end: unjudged documents beyond the cutoff" in tried.words
