"""Claims about runs that are too large to be held: judged in blocks, and given to the reference in parts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crosscheck.backends.isolation import Isolated
from crosscheck.errors import InputError
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, case_run, run_with
from crosscheck.results import Document
from tests.harness.data import SHAPES, write_case, write_random

#: The reference agrees with the first and differs from the second; the third cannot do with parts.
BACKENDS = ("native", "native:gain=exponential", "ir-measures")


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of topics of each part that a backend was given from here on."""
    given: list[int] = []
    real = Isolated.evaluate_parts

    def counted(self, parts, measures):  # type: ignore[no-untyped-def]
        parts = list(parts)
        found = real(self, parts, measures)
        if found is not None:
            given.extend(len(run.topics) for _, run in parts)
        return found

    monkeypatch.setattr(Isolated, "evaluate_parts", counted)
    return given


def compared(folder: Path, *backends: str, large: bool, block: int = 700) -> Document:
    """All cases of a folder; ``large`` as if every run was."""
    with pytest.MonkeyPatch.context() as patch:
        if large:
            patch.setattr(case_run, "_LARGE", 0)
            patch.setattr(case_run, "_BLOCK", block)
        cases = find_cases([str(folder)])
        return run_with(
            cases, Settings(backends=backends or BACKENDS, measures=("AP", "nDCG@10", "P@5", "gm_map"))
        )


def test_a_large_run_has_the_document_of_any_other(tmp_path: Path, parts: list[int]) -> None:
    """Values, means, notes, diagnoses and evidence, to the last bit, whatever the blocks."""
    for seed, name in enumerate(("shallow", "deep", "disorder", "sparse")):
        write_random(tmp_path / name, seed, SHAPES[name])
    whole = compared(tmp_path, large=False)
    assert {c.outcome for c in whole.comparisons} == {"match", "mismatch", "unsupported"}
    assert not parts
    for block in (700, 1 << 20):
        parts.clear()
        assert compared(tmp_path, large=True, block=block) == whole
        assert parts


def test_where_all_agree_the_run_is_never_held(
    tmp_path: Path, parts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not as a whole, neither here nor by the reference."""
    write_random(tmp_path / "case", 1, SHAPES["deep"])
    monkeypatch.setattr(case_run, "read_run", None)
    document = compared(tmp_path, "native", large=True)
    assert {c.outcome for c in document.comparisons} == {"match"}
    assert len(parts) > 5


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace(" 1 ", " first ", 1),
        lambda text: "\n".join(sorted(text.splitlines(), key=lambda line: line[-9:])) + "\n",
        lambda text: '{"1": {"a": 1.0}, "2": {"c": 0.5}}',
    ],
    ids=["byte order mark", "odd rank", "topics in pieces", "JSON"],
)
def test_what_must_be_read_as_a_whole_is(
    tmp_path: Path, parts: list[int], change: Callable[[str], str]
) -> None:
    """Notes about a file come out the same, and no topic is split."""
    run = write_random(tmp_path / "case", 2, SHAPES["shallow"]) / "run"
    run.write_text(change(run.read_text()), "utf-8")
    assert compared(tmp_path, large=True) == compared(tmp_path, large=False)
    assert not parts


@pytest.mark.parametrize("line", ["1 Q0 a 1 x t", "1 Q0 a", "2 Q0 c 1 2.0 t\n2 Q0 c 2 1.0 t"])
def test_errors_are_those_of_any_other_run(tmp_path: Path, line: str) -> None:
    """A bad score, a short line and a document twice, with their lines."""
    folder = write_case(tmp_path / "case", {"1": {"a": 1}, "2": {"c": 1}}, [("1", "b", 1.0)])
    with (folder / "run").open("a") as file:
        file.write(f"{line}\n")
    said = []
    for large in (True, False):
        with pytest.raises(InputError) as error:
            compared(tmp_path, large=large)
        said.append(str(error.value))
    assert said[0] == said[1]


def test_a_reference_that_fails_on_a_part_is_asked_about_the_whole(tmp_path: Path) -> None:
    """Its error names the first query of all, wherever the file has it."""
    qrels = {"1": {"a": -1}, "2": {"b": 1}, "3": {"c": -1}}
    run = [(topic, doc, 1.0) for topic in "321" for doc in ("a", "b", "c", "d", "e")]
    write_case(tmp_path / "case", qrels, run)
    document = compared(tmp_path, "native", large=True, block=64)
    assert document == compared(tmp_path, "native", large=False)
    assert "every judgement of query '1' is negative" in str(document.comparisons[0].message)
