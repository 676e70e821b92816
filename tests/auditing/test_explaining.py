"""A metric that is not what it was asked as is recognised as what it is, or as nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from math import log2

import pytest
from jsonschema import Draft202012Validator

from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation.formula import FORMULA
from crosscheck.explain.decoys import decoys
from crosscheck.names import parse_measure
from crosscheck.report.json_report import schema
from tests.auditing import metrics
from tests.auditing.audited import found
from tests.cli.command import crosscheck
from tests.explain.test_decoys import average_precision, f1, first, hits, holds_on_fresh_inputs, log, ndcg
from tests.support.kept import Kept

Levels = Sequence[int]


def by_rank(levels: Levels) -> float:
    return sum((level > 0) / rank for rank, level in enumerate(levels, 1))


def at_the_last(levels: Levels) -> float:
    last = max((rank for rank, level in enumerate(levels, 1) if level > 0), default=0)
    return hits(levels) / last if last else 0.0


def over(found: Sequence[float], best: Sequence[float]) -> float:
    dcg, ideal = (
        sum(max(gain, 0) / log2(rank + 1) for rank, gain in enumerate(gains, 1)) for gains in (found, best)
    )
    return dcg / ideal if ideal else 0.0


def relevant(levels: Levels) -> list[bool]:
    return [level > 0 for level in levels]


#: What it is asked as, what it is, the axes that it changes, and its value of the levels in rank order and
#: those of all judged documents.
KNOWN: list[tuple[str, str, dict[str, AxisValue], Callable[[Levels, Levels], float]]] = [
    ("R@10", "Success@5", {}, lambda found, judged: float(hits(found[:5]) > 0)),
    ("P@10", "F1@10", {}, f1),
    ("nDCG@10", "nDCG@10 of the first R documents", {"gain": "binary"},
     lambda found, judged: over(relevant(found[: min(hits(judged), 10)]), [1] * min(hits(judged), 10))),
    ("nDCG@5", "AP@10", {}, lambda found, judged: average_precision(found[:10]) / max(hits(judged), 1)),
    ("R@10", "AP@10", {"ap_denominator": "min(R,k)"},
     lambda found, judged: average_precision(found[:10]) / max(min(hits(judged), 10), 1)),
    ("nDCG@10", "nDCG@100", {}, ndcg(float, log, 100)),
    ("P@10", "nDCG@10", {"gain": "exponential"}, ndcg(lambda level: 2.0**level - 1, log)),
    ("P@10", "P@10 of the list upside down", {}, lambda found, judged: hits(found[::-1][:10]) / 10),
    ("AP", "RR", {"rr_of": "every"}, lambda found, judged: by_rank(found) / max(hits(judged), 1)),
    ("P@10", "1 if a relevant document was retrieved, else 0", {},
     lambda found, judged: float(hits(found) > 0)),
    ("P@10", "R@10", {}, lambda found, judged: hits(found[:10]) / max(hits(judged), 1)),
    ("AP", "RR@10", {}, lambda found, judged: 1 / first(found[:10])),
    ("P@10", "Rprec", {}, lambda found, judged: hits(found[: hits(judged)]) / max(hits(judged), 1)),
    ("Rprec", "the precision at the last relevant document", {}, lambda found, judged: at_the_last(found)),
    ("AP", "AP of the list upside down", {},
     lambda found, judged: average_precision(found[::-1]) / max(hits(judged), 1)),
    ("AP@10", "the mean of P@1 to P@10", {},
     lambda found, judged: sum(hits(found[:n]) / n for n in range(1, 11)) / 10),
    ("RR@10", "the sum of 1/rank of the relevant documents among the first 10", {},
     lambda found, judged: by_rank(found[:10])),
    ("Success@10", "the number of relevant documents among the first 10", {},
     lambda found, judged: hits(found[:10])),
    ("nDCG@10", "nDCG@10 against level 3 at every rank", {},
     lambda found, judged: over(found[:10], [3] * 10)),
    ("nDCG@5", "nDCG@5 against level 3 for each relevant document", {"gain": "binary"},
     lambda found, judged: over(relevant(found[:5]), [3] * min(hits(judged), 5))),
]  # fmt: skip


@pytest.mark.parametrize(("claimed", "name", "changes", "formula"), KNOWN)
def test_a_known_formula_computes_what_it_says(claimed, name, changes, formula):
    measure = parse_measure(claimed)
    (known,) = (known for known in decoys(measure, (5, 10, 100)) if known.name == name)
    conventions = Conventions().with_changes(**changes).having(FORMULA, known)
    assert holds_on_fresh_inputs(measure, conventions, formula, by_docno=True)


#: The formulas above by their names.
FORMULAS = {name: formula for _, name, _, formula in KNOWN}
USED = (found, hits)
RECOGNISED = Kept(__file__, **{one.__name__: one for one in USED}, FORMULAS=FORMULAS, metrics=metrics)


@pytest.mark.one_in(3)
@RECOGNISED.each()
def test_a_known_formula_is_recognised(given):
    """And what is nothing known is not."""
    RECOGNISED.holds(given)


def test_every_report_begins_with_what_it_is(tmp_path):
    """Text, Markdown and HTML say it in their first sentence, and JSON as a record."""
    source = "def f(gains, k, num_rel): return 2 * sum(map(bool, gains[:k])) / (k + num_rel)\n"
    (tmp_path / "m.py").write_text(source)
    reports = "--report text --report json=a.json --report markdown=a.md --report html=a.html"
    done = crosscheck(tmp_path, "audit", "m.py:f", "-m", "P@10", "--quiet", *reports.split())
    assert done.code == 1
    document = json.loads((tmp_path / "a.json").read_text("utf-8"))
    Draft202012Validator(json.loads(schema("audit"))).validate(document)
    known, causes = document["audit"]["recognised"], document["audit"]["causes"]
    assert (known["formula"], known["strength"], causes) == ("F1@10", "proved", ["unexplained"])
    said = f"is not P@10: it is F1@10 (proved): it gives all {known['values']:,} values."
    files = [(tmp_path / name).read_text("utf-8") for name in ("a.md", "a.html")]
    for text in (done.out, files[0], re.sub(r"<[^>]*>", "", files[1])):
        assert said in " ".join(text.replace("`", "").replace("\\", "").split())
