"""Claims about results of cases that are kept from one call to the next."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crosscheck.backends import make
from crosscheck.backends.base import Options
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, case_results, run_with, runner
from crosscheck.results import Document
from tests.backends import fakes
from tests.harness.data import QRELS, RUN, write_case

Again = Callable[..., tuple[Document, list[str]]]


@pytest.fixture
def again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Again:
    """A call with a folder for results: its document, and the cases that were computed."""
    computed: list[str] = []
    real = runner.case_runs

    def counted(case, *rest, **named):  # type: ignore[no-untyped-def]
        computed.append(case.name)
        return real(case, *rest, **named)

    monkeypatch.setattr(runner, "case_runs", counted)

    def call(*backends: str, **changes: object) -> tuple[Document, list[str]]:
        computed.clear()
        asked = {"measures": ("AP", "nDCG@10", "RR"), "reference": "native", "cache": tmp_path / "kept"}
        settings = Settings(backends=backends or ("native:gain=exponential",), **{**asked, **changes})  # type: ignore[arg-type]
        document = run_with(find_cases([str(tmp_path / "cases")]), settings)
        return document, list(computed)

    for name in ("a", "b", "c"):
        write_case(tmp_path / "cases" / name, {**QRELS, "1": {"a": 2, "b": 1}}, RUN)
    return call


def test_the_second_call_computes_nothing_and_gives_the_same_document(again):
    """Also its evidence, of which only the first of each kind in all cases is shown."""
    fresh, computed = again(cache=None)
    assert computed == ["a", "b", "c"]
    assert [e.case for e in fresh.evidence] == ["a"] * len(fresh.evidence)
    assert fresh.evidence
    assert again() == (fresh, ["a", "b", "c"])
    assert again() == (fresh, [])
    assert again(jobs=1, options=Options(timeout=5)) == (fresh, [])


def test_what_changed_is_computed_and_nothing_else(again, tmp_path):
    """The content of any file of a case: run, qrels, recorded values, case.toml."""
    again()
    case = tmp_path / "cases" / "b"
    run = case / "run"
    for path, text in (
        (run, "\n".join(run.read_text().splitlines()[::-1]) + "\n"),
        (case / "case.toml", "tolerance = 0.5\n"),
        (case / "recorded.other.txt", "AP all 0.5\n"),
        (case / "qrels", "1 0 a 2\n2 0 d 1\n"),
    ):
        path.write_text(text)
        document, computed = again()
        assert computed == ["b"], path
        assert document == again(cache=None)[0]
    assert again()[1] == []


def test_other_settings_and_software_are_other_results(again, monkeypatch):
    """What was kept for others stays. Another version of any package, or of crosscheck, is other software."""
    again()
    for changes in (
        {"measures": ("AP",)},
        {"queries": ("1",)},
        {"tolerance": 0.1},
        {"reference": "native:ties=input"},
    ):
        assert again(**changes)[1] == ["a", "b", "c"]
        assert again()[1] == []
    software = case_results._software()
    monkeypatch.setattr(case_results, "_software", lambda: (software, "numpy-99.dist-info"))
    assert again()[1] == ["a", "b", "c"]


@pytest.mark.parametrize("id", ["python:tests.auditing.metrics:of_the_first_five", "exec:cat", "trec_eval"])
def test_code_of_the_user_and_programs_are_asked_each_time(again, id):
    """Nothing says whether they are what they were."""
    assert again(id)[1] == again(id)[1] == ["a", "b", "c"]


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff", b'["x",{}]'])
def test_a_damaged_file_is_as_none(again, tmp_path, damage):
    """It is computed, and written, again."""
    fresh = again()[0]
    for path in (tmp_path / "kept").iterdir():
        path.write_bytes(damage)
    assert again() == (fresh, ["a", "b", "c"])
    assert again() == (fresh, [])


def test_what_a_lost_backend_left_is_not_kept(again, monkeypatch):
    """It may answer next time."""
    made = {"native": make("native"), "fake": fakes.FailsAt(does=fakes.aborts)}
    monkeypatch.setattr(fakes.FailsAt, "repeatable", True, raising=False)
    monkeypatch.setattr(runner.registry, "make", lambda name, options: made[name])
    assert again("fake", measures=("P@3",))[1] == again("fake", measures=("P@3",))[1] == ["a", "b", "c"]
    assert again("fake", measures=("P@1",))[1] == ["a", "b", "c"]
    assert again("fake", measures=("P@1",))[1] == []
