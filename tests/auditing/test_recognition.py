"""A metric that is not what it was asked as is recognised as what it is, or as nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from crosscheck.audit_records import Audit
from crosscheck.auditing import audit
from crosscheck.report.json_report import schema
from tests.support.sampling import one_in

_ONE, _BY_LEVEL = "f(ranked_ids, relevant_ids, k)", "f(ranked_ids, relevance, k)"
_WHOLE = "f(ranked_ids, relevant_ids)"

BINARY: dict[str, object] = {"gain": "binary"}
#: Metric, what it is asked as, the call; what it is, and the axes that it changes.
KNOWN: list[tuple[str, str, str, str, dict[str, object]]] = [
    ("success_at_5", "R@10", _ONE, "Success@5", {}),
    ("ap_at_10", "nDCG@5", _ONE, "AP@10", {}),
    ("ap_over_k", "R@10", _ONE, "AP@10", {"ap_denominator": "min(R,k)"}),
    ("ndcg_at_100", "nDCG@10", _BY_LEVEL, "nDCG@100", {}),
    ("exponential_ndcg", "P@10", _BY_LEVEL, "nDCG@10", {"gain": "exponential"}),
    ("precision_upside_down", "P@10", _ONE, "P@10 of the list upside down", {}),
    ("mean_reciprocal_rank_of_all", "AP", _WHOLE, "RR", {"rr_of": "every"}),
    ("f1", "P@10", _ONE, "F1@10", {}),
    ("recall", "P@10", _ONE, "R@10", {}),
    ("reciprocal_rank_of_10", "AP", _WHOLE, "RR@10", {}),
    ("precision_at_one_less", "P@5", _ONE, "P@4", {}),
    ("r_precision", "P@10", _ONE, "Rprec", {}),
    ("precision_at_the_last", "Rprec", _WHOLE, "the precision at the last relevant document", {}),
    ("upside_down_ap", "AP", _WHOLE, "AP of the list upside down", {}),
    ("mean_of_precisions", "AP@10", _ONE, "the mean of P@1 to P@10", {}),
    ("hits_by_rank", "RR@10", _ONE, "the sum of 1/rank of the relevant documents among the first 10", {}),
    ("number_of_hits", "Success@10", _ONE, "the number of relevant documents among the first 10", {}),
    ("ndcg_down_to_r", "nDCG@10", _ONE, "nDCG@10 of the first R documents", BINARY),
    ("ndcg_against_threes", "nDCG@10", _BY_LEVEL, "nDCG@10 against level 3 at every rank", {}),
    ("hits_against_threes", "nDCG@5", _ONE, "nDCG@5 against level 3 for each relevant document", BINARY),
]
INVENTED = [
    ("nearly_success", "R@10", _BY_LEVEL),
    ("root_over_both", "P@10", _ONE),
    ("geometric_hits", "P@10", _ONE),
    ("constant", "P@10", _ONE),
    ("by_chance", "P@10", _ONE),
    ("by_the_ids", "P@5", _ONE),
    ("every_other", "R@10", _ONE),
]


def audited(name: str, measure: str, call: str) -> Audit:
    return audit(f"tests.auditing.known_formulas:{name}", measure, call=call)


@pytest.mark.parametrize(("name", "measure", "call", "formula", "changes"), one_in(7, KNOWN))
def test_a_known_formula_is_recognised(
    name: str, measure: str, call: str, formula: str, changes: dict[str, object]
) -> None:
    found = audited(name, measure, call)
    assert found.verdict == "deviates"
    assert found.recognised is not None
    assert (found.recognised.formula, found.recognised.conventions) == (formula, changes)
    assert (found.recognised.strength, found.recognised.rivals) == ("proved", [])
    ignoring = ("success_at_5", "ap_at_10", "ndcg_at_100", "r_precision")
    assert found.recognised.whatever_k == (name in ignoring)


@pytest.mark.parametrize(("name", "measure", "call"), one_in(4, INVENTED))
def test_what_is_nothing_known_is_not_recognised(name: str, measure: str, call: str) -> None:
    """A few values that a formula does not give are enough, as of a metric that knows levels up to 8."""
    assert audited(name, measure, call).recognised is None


def test_every_report_begins_with_what_it_is(tmp_path: Path) -> None:
    """Text, Markdown and HTML say it in their first sentence, and JSON as a record."""
    here = Path(__file__).parent / "known_formulas.py"
    reports = ["text", "json=a.json", "markdown=a.md", "html=a.html"]
    asked = [f"{here}:f1", "-m", "P@10", "--call", _ONE, "--quiet"]
    command = [*asked, *(word for report in reports for word in ("--report", report))]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-m", "crosscheck", "audit", *command],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=env,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (1, "")
    document = json.loads((tmp_path / "a.json").read_text("utf-8"))
    Draft202012Validator(json.loads(schema("audit"))).validate(document)
    known = document["audit"]["recognised"]
    assert (known["formula"], known["strength"], document["audit"]["causes"]) == (
        "F1@10",
        "proved",
        ["unexplained"],
    )
    said = f"is not P@10: it is F1@10 (proved): it gives all {known['values']:,} values."
    files = [(tmp_path / name).read_text("utf-8") for name in ("a.md", "a.html")]
    for text in (done.stdout, files[0], re.sub(r"<[^>]*>", "", files[1])):
        assert said in " ".join(text.replace("`", "").replace("\\", "").split())
