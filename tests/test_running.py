"""Claims about crosscheck.run on data at hand, and about results in Python programs and notebooks."""

import asyncio
import html
import json
import math
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from msgspec.structs import replace

import crosscheck
from crosscheck.audit_records import Audit
from crosscheck.errors import UsageError
from crosscheck.harness import Settings, exit_code
from crosscheck.model import Case
from crosscheck.report import render
from crosscheck.results import Document
from tests.html import documents
from tests.report import samples
from tests.support.kept import REMEDY, Kept
from tests.support.notebook import executed

QRELS = {f"{q}": {"a": 1, "b": 2 + q % 2, "c": 0} for q in range(5)}
RUN = {q: {"a": 3.0, "c": 2.5, "b": 2.0} for q in QRELS}


def compared(backends, qrels=QRELS, run=RUN, measure="nDCG@3"):
    return crosscheck.run({"qrels": qrels, "runs": {"one/bm25": run}}, backends=backends, measures=[measure])


def test_data_at_hand_is_compared_like_a_case(tmp_path):
    """Dicts, frames and files give the same comparisons as a folder with the same files."""
    folder = tmp_path / "data"
    folder.mkdir()
    judged, scored = ([(q, d, v) for q, row in of.items() for d, v in row.items()] for of in (QRELS, RUN))
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {v}\n" for q, d, v in judged))
    (folder / "run").write_text("".join(f"{q} Q0 {d} 1 {v} x\n" for q, d, v in scored))
    frames = [pd.DataFrame(judged, columns=["query", "docid", "rel"])]
    frames.append(pd.DataFrame(scored, columns=["query", "docid", "score"]))
    backends = ["native:gain=exponential"]
    given: tuple[Any, ...] = (folder, str(folder), [tmp_path])
    found = [crosscheck.run(cases, backends=backends, measures=["nDCG@3"]).comparisons for cases in given]
    assert found[1:] == [found[0]] * 2
    (wanted,) = found[0]
    for qrels, run in ((QRELS, RUN), frames, (str(folder / "qrels"), folder / "run")):
        document = compared(backends, qrels, run)
        (one,) = document.comparisons
        assert (one.case, one.run) == ("data", "one/bm25")
        assert (one.cells, one.mean) == (wanted.cells, wanted.mean)
        assert one.diagnosis is not None
        assert one.diagnosis.causes == ["gain"]
        assert "To see this alone" not in document.to_markdown()


def test_a_function_is_a_backend():
    """Called by its parameter names; one that cannot be called is an error of its comparisons."""

    def precision(gains, k):
        return sum(gain > 0 for gain in gains[:k]) / k

    def odd(nothing, known):
        return 0.0

    document = compared([precision, odd], measure="P@2")
    assert ([c.outcome for c in document.comparisons], document.ok) == (["match", "error"], False)
    assert compared([precision], measure="P@2").ok


def test_the_settings_of_a_call(monkeypatch):
    """Tools that nobody named only inform on data at hand, as on loose files; an interrupt is no result."""
    asked: list[Settings] = []
    complete = samples.everything()

    def run_with(cases, settings):
        asked.append(settings)
        return replace(complete, complete=len(asked) < 3)

    monkeypatch.setattr("crosscheck.running.run_with", run_with)
    data: Any = {"qrels": QRELS, "runs": {"bm25": RUN}}
    assert crosscheck.run(data, tolerance=0.5) == complete
    crosscheck.run([Case(name="c", qrels="qrels", runs=("run",))], reference="ranx")
    found = [(one.loose, one.tolerance, one.reference) for one in asked]
    assert found == [(True, 0.5, None), (False, None, "ranx")]
    with pytest.raises(KeyboardInterrupt):
        crosscheck.run(data)


CALLS = (crosscheck.run, crosscheck.audit, crosscheck.evaluate, crosscheck.evaluate_runs, crosscheck.diagnose)
DATA = {"qrels": QRELS, "runs": {"bm25": RUN}}
NAMES: dict[str, Any] = {call.__name__: call for call in CALLS} | {"math": math, "pd": pd}
EXAMPLES = Kept(__file__, **NAMES, QRELS=QRELS, RUN=RUN, DATA=DATA)


@pytest.mark.filterwarnings("ignore::crosscheck.errors.InputWarning")
def test_examples():
    """Wrong uses get errors of ours."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


def test_inside_a_running_loop_and_in_threads():
    """A child process, started from a coroutine and from two threads at once."""

    async def inside():
        return compared(["pytrec_eval", "python:statistics:mean"])

    found: list[Document] = []
    # In threads only: tests of pages leave a loop that runs in the main one.
    for number in (1, 2):
        with ThreadPoolExecutor(number) as pool:
            found += pool.map(lambda _: asyncio.run(inside()), range(number))
    assert len(found) == 3
    assert len({document.to_json() for document in found}) == 1
    assert found[0].comparisons[0].outcome == "error"


@pytest.mark.parametrize("name", documents.NAMES)
def test_every_result_shows_itself(name, tmp_path):
    """One line as its repr, the page in a frame, every format, and its list of records."""
    result: Any = documents.document(name)
    assert repr(result).startswith(f"<{type(result).__name__}: ")
    assert len(repr(result).splitlines()) == 1
    page = result.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == page == render(result, "html")
    (framed,) = re.findall('<iframe srcdoc="([^"]*)"', result._repr_html_())
    assert html.unescape(framed) == page
    assert result.to_markdown() == render(result, "markdown")
    assert result.to_json() == render(result, "json")
    if hasattr(type(result), "_rows"):
        assert len(result.to_pandas()) >= (name == "describe")
    with pytest.raises(UsageError, match="there is no list"):
        result.to_pandas("nothing")


def test_audits_and_diagnoses_show_themselves_too():
    """Without their documents: an audit is one, and a diagnosis is a difference."""
    audit: Audit = documents.document("audit").audit
    assert json.loads(audit.to_json())["audit"]["verdict"] == audit.verdict
    assert not audit.ok
    values = crosscheck.evaluate(QRELS, RUN, ["nDCG@3"], conventions="gain=exponential")
    found = crosscheck.diagnose(QRELS, RUN, "nDCG@3", {q: row["nDCG@3"] for q, row in values.items()})
    assert found is not None
    assert repr(found).startswith("<Diagnosis: gain: ")
    assert "5 of 5 queries" in found.to_text()
    assert json.loads(found.to_json())["causes"] == ["gain"]
    assert not found.ok
    assert found.to_pandas()[["strength", "conventions.gain"]].values.tolist() == [["proved", "exponential"]]
    odd = crosscheck.diagnose(QRELS, RUN, "nDCG@3", {q: 0.1 + int(q) / 7 for q in QRELS})
    assert (odd and odd.causes) == ["unexplained"]


def test_ok_is_the_exit_code_of_a_run():
    """For documents with every outcome, with a stale one, and without any."""
    stale = samples.document([samples.agreement(stale=True, expected=False)])
    made = (samples.everything(), samples.document([]), stale)
    for document in (*made, compared(["native"]), compared(["native:gain=exponential"])):
        assert document.ok is (exit_code(document) == 0)
    assert not samples.uncallable().ok


def test_a_long_call_says_in_a_notebook_what_it_does(monkeypatch):
    """In a line below the cell, which the end of the cell clears; elsewhere nothing is shown."""
    said: list[str] = []
    ends: dict[str, Any] = {}
    events = SimpleNamespace(register=ends.__setitem__, unregister=lambda event, end: ends.pop(event))
    line = SimpleNamespace(update=lambda data, raw: said.append(data["text/plain"]))
    shell = SimpleNamespace(events=events)
    ipython = SimpleNamespace(
        get_ipython=lambda: shell, display=SimpleNamespace(display=lambda data, raw, display_id: line)
    )
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    compared(["native:gain=exponential"])
    assert said == []  # a terminal
    shell.kernel = object()
    for _ in range(2):
        compared(["native:gain=exponential"])
        ends["post_run_cell"]()
    clock = iter((0.2, 0.2, 0.3, 0.45, 0.45))
    monkeypatch.setattr("crosscheck.shown.monotonic", clock.__next__)
    for text in ("shown", "too early", "shown later"):
        crosscheck.shown.tell(text)
    ends["post_run_cell"]()
    assert (said, ends) == (["data: one/bm25 (1 of 1)", ""] * 2 + ["shown", "shown later", ""], {})


def test_one_of_anything_need_not_be_in_a_list():
    """A measure as text or of ir_measures, a backend, a run; qrels may come from an iterator."""
    ir_measures = pytest.importorskip("ir_measures")
    rows = [(q, d, v) for q, row in QRELS.items() for d, v in row.items()]
    whole = compared(["native:gain=exponential"]).comparisons
    asked: Any = ir_measures.nDCG @ 3
    for measure in ("nDCG@3", asked, iter([asked])):
        data: Any = {"qrels": iter(rows), "runs": RUN}
        (one,) = crosscheck.run(data, measures=measure, backends="native:gain=exponential").comparisons
        assert (one.measure, one.diagnosis) == (whole[0].measure, whole[0].diagnosis)
    assert crosscheck.evaluate(QRELS, RUN, asked) == crosscheck.evaluate(QRELS, RUN, ["nDCG@3"])
    numbered = {int(q): {ord(d): v for d, v in row.items()} for q, row in QRELS.items()}
    scored: Any = {int(q): {ord(d): v for d, v in row.items()} for q, row in RUN.items()}
    values = crosscheck.evaluate(QRELS, RUN, "nDCG@3", conventions="gain=exponential")
    assert crosscheck.evaluate(numbered, scored, "nDCG@3", conventions="gain=exponential") == values
    theirs: Any = {int(q): row["nDCG@3"] for q, row in values.items()}
    assert crosscheck.diagnose(numbered, scored, asked, theirs) == crosscheck.diagnose(
        QRELS, RUN, "nDCG@3", {q: row["nDCG@3"] for q, row in values.items()}
    )


def test_a_notebook_holds_the_page():
    """A kernel runs it, and shows the page of the document in a frame."""
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    code = f"import crosscheck\ncrosscheck.run({{'qrels': {QRELS!r}, 'runs': {{'bm25': {RUN!r}}}}}, "
    code += "measures=['nDCG@3'], backends=['native:gain=exponential'])"
    ((*_, shown),) = executed(code)
    page = shown.data["text/html"]
    assert page.startswith('<iframe srcdoc="')
    assert "takes 2^level - 1 for the gain" in page
