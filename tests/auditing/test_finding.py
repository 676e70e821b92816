"""How a call is found: from the names of parameters, from the code, and by trying."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from crosscheck.auditing import audit
from crosscheck.auditing.finding import FoundCall, FunctionOfMeasures, find_call, finding_its_call
from crosscheck.auditing.metric import AuditedMetric, audited_metric
from crosscheck.auditing.targets import CalledFunction, target_of
from crosscheck.backends.guarded import Guarded
from crosscheck.conventions import conventions
from crosscheck.inputs.queries import Line, Probe, Query, ranked
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from tests.auditing import metrics
from tests.auditing.audited import defined, found
from tests.auditing.metrics import of_files
from tests.cli.command import environment
from tests.support.kept import Kept, need
from tests.targets import s2


class Tensor:
    """Stands for one of PyTorch, which is no list and no array."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def hits(self, target, k):
        order = sorted(range(len(self.values)), key=lambda place: -self.values[place])
        return sum(target.values[place] > 0 for place in order[:k]) / k


def _found(function: Callable[..., Any], measure: str = "P@5") -> FoundCall:
    target = target_of(function, None)
    assert isinstance(target, CalledFunction)
    guard = Guarded(replace(target, isolated=False))
    subject = AuditedMetric(guard, parse_measure(measure), lambda message: None)
    return find_call(subject, conventions("trec_eval-9.0.8"))


def call_of(metric: Any, measure: str = "P@5", *, needs: str = "", torch: bool = False) -> str:
    """The call that is found by trying, or why there is none."""
    need(needs)
    with patch.dict(sys.modules, torch=SimpleNamespace(tensor=Tensor)) if torch else patch.dict({}):
        tried = _found(defined(metric), measure)
    if tried.call is not None:
        return str(tried.call)
    # Which calls are listed depends on the packages that were loaded before.
    first, *calls = re.sub(r" \(\S+:\d+ in", " (in", tried.message).splitlines()
    return first + f" {len(calls)} calls" * bool(calls)


def tried_last(metric: Any) -> str:
    return _found(metric).tried[-1]


def call_for(metric: Any, measure: str = "P@5", *, needs: str = "pandas") -> str:
    """The call of a function that is asked for several measures."""
    need(needs)
    made = finding_its_call(target_of(defined(metric), None))
    assert isinstance(made, FunctionOfMeasures)
    return str(made.call_for(parse_measure(measure)))


def listed(function: Callable[..., Any]) -> str:
    """How many calls are possible for a function, how many of them pass records, and the shortest one."""
    probe = Probe("a query", (("1", Query((("a", 1),), (Line("a", 1, 1.0),))),), None)
    listing = CalledFunction("f", None, function, isolated=False, listing=True)
    answer = listing.evaluate(probe.qrels, probe.run, [Measure("P", 5)])[Measure("P", 5)]
    calls = [call.partition(" ")[2] for call in answer.notes]
    records = sum("rows" in call or "labelled" in call for call in calls)
    number = "one call" if len(calls) == 1 else "several calls"  # more where more packages were loaded before
    return f"{number}, {records} of records, such as {min(calls, key=len)}"


def spelt(source: str, names: str, measure: str, other: Any) -> str:
    """The call of a function that spells P and Success so, and does something with names that it does not
    know: it raises, or gives 0 or another measure."""
    _, _, cutoff = measure.partition("@")
    spellings = dict(zip(("P", "Success"), names.split(), strict=True))

    def of(name: str, ranked: Any, judged: Any = 5, k: int = int(cutoff)) -> float:
        if isinstance(ranked, dict):
            hits = [judged.get(d, 0) > 0 for d in metrics.by_score(ranked)]
        else:
            hits, k = [level > 0 for level in ranked], judged if "{k}" not in names else k
        for known, spelling in spellings.items():
            if name == spelling.replace("{k}", cutoff):
                return sum(hits[:k]) / k if known == "P" else float(any(hits[:k]))
        if other is KeyError:
            raise KeyError(name)
        return other and sum(hits) / (1 + len(hits))

    return call_of(defined(source, of=of), measure)


NAMES = {"hits": metrics.hits, "positive": metrics.positive, "by_score": metrics.by_score}
CALLS = Kept(__file__, within=(globals(), NAMES), metrics=metrics, s2=s2)
AUDITS = Kept(__file__, part=".audits", within=(NAMES,), found=found)
USUAL = (
    *('gains, k)", "precis', "level >= 4) for", "def of_ms_marco"),
    *("[:5]) // 5)", "def similarity", "def ndcg", '",".join('),
    *('hit_rate@{k}", "P@3", ', "foo, bar: len(foo)", "def mean_over_arrays", "def of_wide_frames"),
    *("anks) / len(ranks)", "def precision", "bool, relevant", "int(of) for of", 'int("d1")'),
    *("def bpref_without", "def rr_of_all", "def recall_types", "def of_several", "lambda flags"),
    "max_grade=4, k=20",
)
test_the_call_that_is_found = CALLS.test(usual=USUAL)
test_what_is_called_by_query_or_with_pairs = AUDITS.test(usual=("def of_run", '"SetR"'))


@pytest.mark.whole
def test_a_metric_of_files_agrees_and_leaves_none(tmp_path, monkeypatch):
    """No id is different for being written in a file, and no file stays behind."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = audit(of_files, "P@5")
    assert (found.verdict, found.causes) == ("agrees", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("call", "scores"), [("f(ranked_ids)", (2.0, 1.0)), ("f(scored)", (0.5, -1.0))])
def test_lists_without_scores_are_asked_with_scores_above_0(call, scores):
    """What is appended to a list comes last, and what has a score of 0 is above those below 0."""
    query = ranked("ab", [("a", 1)]).rescored([0.5, -1.0])
    with audited_metric(lambda of: float(len(of)), parse_measure("P@5"), call, None, print) as subject:
        asked = subject.ask(Probe("", (("1", query),), "1"))
    assert tuple(line.score for line in asked.probe.queries[0][1].lines) == scores


def test_a_program_that_passes_files_runs(tmp_path):
    def of_three(run_path: str, qrels_path: str) -> dict[str, float]:
        return {query: value * 5 / 3 for query, value in of_files(run_path, qrels_path).items()}

    call = "f(file(results_rows), file(qrels_rows))"
    example = audit(of_three, "P@5", call=call).counterexamples[0]
    *_, defined, called = example.python.partition("import os")
    (tmp_path / "qrels").write_text("mine", "utf-8")
    whole = f"from tests.auditing.metrics import of_files as f\n{defined}{called}"
    again = [sys.executable, "-c", whole]
    printed = subprocess.run(again, cwd=tmp_path, env=environment(), capture_output=True, text=True).stdout
    assert list(ast.literal_eval(printed).values()) == [pytest.approx(example.reference_value)]
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("qrels", "mine")]
