"""crosscheck.run on data at hand, and results in Python programs and notebooks."""

import asyncio
import html
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

import crosscheck
from crosscheck.errors import UsageError
from crosscheck.harness import Settings
from crosscheck.model import Case
from crosscheck.report import render
from crosscheck.results import Document
from tests.html import documents
from tests.report import samples
from tests.support.kept import Kept, frame
from tests.support.notebook import executed

QRELS = {f"{q}": {"a": 1, "b": 2 + q % 2, "c": 0} for q in range(5)}
RUN = {q: {"a": 3.0, "c": 2.5, "b": 2.0} for q in QRELS}


DATA: Any = {"qrels": QRELS, "runs": {"one/bm25": RUN}}
EXPONENTIAL = "native:gain=exponential"


def compared(*backends, cases=DATA, measures="nDCG@3"):
    return crosscheck.run(cases, backends=backends, measures=measures)


def told(document):
    """Whether all is as expected, and what came of each comparison."""
    lines = [f"ok: {document.ok}"]
    for one in document.comparisons:
        causes = [] if one.diagnosis is None else one.diagnosis.causes
        lines.append(f"{one.case}, {one.run}, {one.candidate}, {one.measure}: {one.outcome} {causes}")
        lines += [f"  {line}" for line in (one.message, one.mean) if line]
        lines += [f"  {cell.query}: {cell.reference_value} {cell.candidate_value}" for cell in one.cells]
    return "\n".join(lines)


def written():
    """The folder with this data in files, and columns of it."""
    judged, scored = ([(q, d, v) for q, row in of.items() for d, v in row.items()] for of in (QRELS, RUN))
    Path("data").mkdir()
    Path("data/qrels").write_text("".join(f"{q} 0 {d} {v}\n" for q, d, v in judged))
    Path("data/run").write_text("".join(f"{q} Q0 {d} 1 {v} x\n" for q, d, v in scored))
    names = ("query", "docid", "rel"), ("query", "docid", "score")
    columns = (map(list, zip(*rows, strict=True)) for rows in (judged, scored))
    return Path("data"), *(dict(zip(*of, strict=True)) for of in zip(names, columns, strict=True))


def functions():
    """Two functions that no child process can import; the second cannot be called."""

    def precision(gains, k):
        return sum(gain > 0 for gain in gains[:k]) / k

    def odd(nothing, known):
        return 0.0

    return precision, odd


CALLS = (crosscheck.run, crosscheck.audit, crosscheck.evaluate, crosscheck.evaluate_runs, crosscheck.diagnose)
NAMES = {one.__name__: one for one in (*CALLS, compared, told, written, functions, frame)}
EXAMPLES = Kept(__file__, within=(NAMES,), QRELS=QRELS, RUN=RUN, DATA=DATA, EXPONENTIAL=EXPONENTIAL)
test_examples = pytest.mark.filterwarnings("ignore::crosscheck.errors.InputWarning")(EXAMPLES.test())


def test_the_settings_of_a_call(monkeypatch):
    """Tools that nobody named only inform on data at hand, as on loose files; an interrupt is no result."""
    asked: list[Settings] = []
    complete = samples.everything()

    def run_with(cases, settings):
        asked.append(settings)
        return replace(complete, complete=len(asked) < 3)

    monkeypatch.setattr("crosscheck.running.run_with", run_with)
    assert crosscheck.run(DATA, tolerance=0.5) == complete
    crosscheck.run([Case(name="c", qrels="qrels", runs=("run",))], reference="ranx")
    found = [(one.loose, one.tolerance, one.reference) for one in asked]
    assert found == [(True, 0.5, None), (False, None, "ranx")]
    with pytest.raises(KeyboardInterrupt):
        crosscheck.run(DATA)


def test_inside_a_running_loop_and_in_threads():
    """A child process, started from a coroutine and from two threads at once."""

    async def inside():
        return compared("pytrec_eval", "python:statistics:mean")

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
    compared(EXPONENTIAL)
    assert said == []  # a terminal
    shell.kernel = object()
    for _ in range(2):
        compared(EXPONENTIAL)
        ends["post_run_cell"]()
    clock = iter((0.2, 0.2, 0.3, 0.45, 0.45))
    monkeypatch.setattr("crosscheck.shown.monotonic", clock.__next__)
    for text in ("shown", "too early", "shown later"):
        crosscheck.shown.tell(text)
    ends["post_run_cell"]()
    assert (said, ends) == (["data: one/bm25 (1 of 1)", ""] * 2 + ["shown", "shown later", ""], {})


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
