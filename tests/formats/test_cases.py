"""Case folders are found, and what is wrong with one is said with file, line and a hint."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crosscheck.errors import InputError
from crosscheck.formats.cases import find_cases
from crosscheck.model import Expectation, Printed, Published


def make(folder: Path, *files: str, config: str | None = None) -> Path:
    """A folder with some (almost empty) files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).write_text("x")
    if config is not None:
        (folder / "case.toml").write_text(config)
    return folder


def failure(paths: list[Path], only: tuple[str, ...] = ()) -> str:
    """The text of the error."""
    with pytest.raises(InputError) as caught:
        find_cases([str(path) for path in paths], only)
    return str(caught.value)


# ---- finding -------------------------------------------------------------------------------------------


def test_a_case_is_a_folder_with_qrels_and_runs(tmp_path: Path) -> None:
    """Runs and recorded values are sorted by name; backups, hidden and other files do not count."""
    folder = make(
        tmp_path / "ties",
        "qrels.txt.gz",
        "run.b",
        "run.a",
        "recorded.x",
        "README.md",
        "run.a~",
        ".run.c",
        "qrels~",
    )
    (folder / "runs").mkdir()
    (case,) = find_cases([str(folder)])
    assert case.name == "ties"
    assert case.qrels == str(folder / "qrels.txt.gz")
    assert case.runs == (str(folder / "run.a"), str(folder / "run.b"))
    assert case.recorded == (str(folder / "recorded.x"),)
    assert (case.config, case.measures, case.reference, case.tolerance) == (None, (), None, None)


def test_cases_are_found_at_any_depth_and_sorted_by_name(tmp_path: Path) -> None:
    """Hidden folders are skipped, and so is what lies inside a case."""
    for place in ("b", "deep/er/a", ".hidden/c", "b/inner"):
        make(tmp_path / place, "qrels", "run")
    make(tmp_path / "empty")
    assert [case.name for case in find_cases([str(tmp_path)])] == ["a", "b"]


def test_overlapping_paths_give_each_case_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, a case inside it, and the same case spelt differently."""
    make(tmp_path / "a", "qrels", "run")
    make(tmp_path / "b", "qrels", "run")
    monkeypatch.chdir(tmp_path / "a")
    paths = [str(tmp_path), str(tmp_path / "a"), os.path.join("..", "b", ""), "."]
    assert [case.name for case in find_cases(paths)] == ["a", "b"]


def test_only_some_cases_are_wanted(tmp_path: Path) -> None:
    """The other cases are not even read, so an error in them does not matter."""
    make(tmp_path / "a", "qrels", "run")
    make(tmp_path / "b", "qrels", "run", config="broken")
    assert [case.name for case in find_cases([str(tmp_path)], ["a", "a"])] == ["a"]


def test_a_wanted_case_that_is_not_there(tmp_path: Path) -> None:
    """A near name is suggested; without one all names are told."""
    make(tmp_path / "seed-ties", "qrels", "run")
    assert "did you mean 'seed-ties'?" in failure([tmp_path], ("seed_ties",))
    assert "there are: seed-ties" in failure([tmp_path], ("x",))


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (["qrels", "run~"], "a case without a run"),
        (["qrels", "qrels.gz", "run"], "more than one qrels file"),
        (["run"], "there is no case in this folder"),
        ([], "there is no case in this folder"),
    ],
)
def test_a_folder_that_is_no_case(tmp_path: Path, files: list[str], problem: str) -> None:
    """The message names the missing or surplus file and the folder."""
    folder = make(tmp_path / "c", *files)
    assert failure([folder]).startswith(f"{folder}: {problem}")


def test_settings_without_qrels(tmp_path: Path) -> None:
    """A case.toml marks a folder that was meant to be a case."""
    make(tmp_path / "c", "run", config="")
    assert "but no qrels" in failure([tmp_path])


def test_paths_that_are_no_folder(tmp_path: Path) -> None:
    """A file is not a case, a missing path is missing."""
    file = make(tmp_path / "c", "qrels", "run") / "run"
    assert "this is a file" in failure([file])
    assert "--qrels FILE --run FILE" in failure([file])
    assert "there is no such folder" in failure([tmp_path / "nowhere"])


def test_two_cases_of_one_name(tmp_path: Path) -> None:
    """Names must tell cases apart in the report: both folders are named."""
    make(tmp_path / "x" / "same", "qrels", "run")
    make(tmp_path / "y" / "same", "qrels", "run")
    text = failure([tmp_path])
    assert str(tmp_path / "x" / "same") in text
    assert str(tmp_path / "y" / "same") in text


# ---- case.toml -----------------------------------------------------------------------------------------

FULL = """\
description = "what it shows"
measures = ["P@10", "nDCG@10"]
reference = "native:trec_eval-10"
tolerance = 1e-6

[[expect]]
candidate = "hf-evaluate"
measure = "P@10"
causes = ["tie-breaking", "rank-order"]
reason = "known"
run = "run.a"

[[expect]]
candidate = "mine"
measure = "AP"
outcome = "error"
reason = "crashes"

[published]
"P@5" = 0.4
AP = 1
decimals = 4
source = "a paper"
"""


def test_every_key_of_case_toml(tmp_path: Path) -> None:
    """All settings arrive in the case."""
    make(tmp_path / "c", "qrels", "run.a", config=FULL)
    (case,) = find_cases([str(tmp_path)])
    assert case.config == str(tmp_path / "c" / "case.toml")
    assert case.description == "what it shows"
    assert case.measures == ("P@10", "nDCG@10")
    assert (case.reference, case.tolerance) == ("native:trec_eval-10", 1e-6)
    assert case.expectations == (
        Expectation(
            candidate="hf-evaluate",
            measure="P@10",
            causes=("tie-breaking", "rank-order"),
            reason="known",
            run="run.a",
        ),
        Expectation(candidate="mine", measure="AP", causes=(), reason="crashes", run=None, outcome="error"),
    )
    assert case.published == (
        Published(values={"P@5": 0.4, "AP": 1.0}, decimals=4, run=None, source="a paper"),
    )


def test_published_may_be_several_tables(tmp_path: Path) -> None:
    """One table per run or per source."""
    config = '[[published]]\n"P@5" = 0.4\nrun = "run.a"\n[[published]]\nAP = 0.5\nrun = "run.b"\n'
    make(tmp_path / "c", "qrels", "run.a", "run.b", config=config)
    (case,) = find_cases([str(tmp_path)])
    assert case.published == (
        Published(values={"P@5": 0.4}, run="run.a"),
        Published(values={"AP": 0.5}, run="run.b"),
    )


@pytest.mark.parametrize(
    ("written", "value", "decimals"),
    [
        ("0.2580", 0.258, 4),
        ('"0.2580"', 0.258, 4),
        ('" .50 "', 0.5, 2),
        ("4.993e-1", 0.4993, 4),
        ("0.49_93", 0.4993, 4),
        ("-0.10", -0.1, 2),
        ("1", 1.0, 0),
        ("1_000", 1000.0, 0),
        ("0x10", 16.0, 0),
        ("0.5961904761904762", 0.5961904761904762, None),
        ("0." + "3" * 10_000, 1 / 3, None),
    ],
)
def test_a_published_number_keeps_the_digits_that_the_file_has(
    tmp_path: Path, written: str, value: float, decimals: int | None
) -> None:
    """As a literal and as text; each number of a table has its own."""
    make(tmp_path / "c", "qrels", "run.a", config=f'[published]\nAP = {written}\n"P@5" = 0.4\n')
    (case,) = find_cases([str(tmp_path)])
    (published,) = case.published
    shown = {
        name: number.decimals for name, number in published.values.items() if isinstance(number, Printed)
    }
    assert published.values == {"AP": value, "P@5": 0.4}
    assert shown == {"AP": decimals, "P@5": 1}
    assert published.decimals is None


def test_toml_that_is_nested_too_deeply(tmp_path: Path) -> None:
    """No traceback of the reader's."""
    folder = make(tmp_path / "c", "qrels", "run", config=f"a = {'[' * 5000}")
    assert failure([folder]).startswith(f"{folder / 'case.toml'}: nested too deeply")


EXPECT = '[[expect]]\ncandidate = "a"\nmeasure = "AP"\ncauses = ["gain"]\nreason = "r"\n'


@pytest.mark.parametrize(
    ("config", "line", "parts"),
    [
        ("# c\ndescripton = 'x'\n", 2, ["no key 'descripton'", "did you mean description?"]),
        ("\n[expects]\na = 1\n", 2, ["no key 'expects'", "did you mean expect?"]),
        (EXPECT + "\n[[expect]]\nmeasur = 'x'\n", 8, ["did you mean measure?"]),
        ("a = [\n  [1],\n]\n", 1, ["no key 'a'"]),
        ("description = 'a\n", 1, ["invalid TOML"]),
        ("a = 1\n\na = 2\n", 3, ["invalid TOML"]),
        ("description = 5\n", 1, ["description: 5", "a text"]),
        ("measures = 'AP'\n", 1, ["a list of texts"]),
        ("measures = ['AP', 5]\n", 1, ["a list of texts"]),
        ("\ntolerance = -1\n", 2, ["at least 0"]),
        ("tolerance = true\n", 1, ["a number"]),
        ("tolerance = nan\n", 1, ["a number"]),
        ("expect = 5\n", 1, ["tables [[expect]]"]),
        ("[expect]\ncandidate = 'a'\n", 1, ["tables [[expect]]"]),
        (EXPECT.replace("reason", "#"), 1, ["[[expect]] without reason"]),
        (EXPECT + EXPECT.replace("candidate", "#").replace('"AP"', '"P@5"'), 6, ["without candidate"]),
        (EXPECT.replace('"r"', '"  "'), 5, ["not empty"]),
        (EXPECT.replace('["gain"]', "[]"), 4, ["at least one label"]),
        (EXPECT.replace("causes", "#"), 1, ["without causes"]),
        (EXPECT + 'outcome = "mismatches"\n', 6, ["did you mean mismatch?"]),
        (EXPECT + 'strength = "prooved"\n', 6, ["proved, consistent, per-query, none", "mean proved?"]),
        (EXPECT + 'strength = "interval"\n', 6, ["proved, consistent, per-query, none"]),
        (EXPECT + "strength = 3\n", 6, ["a text"]),
        (EXPECT + 'strength = "none"\noutcome = "error"\n', 6, ["no strength"]),
        (EXPECT + 'run = "run.b"\n', 6, ["one of the runs of this case: run.a", "did you mean run.a?"]),
        (EXPECT + EXPECT, 7, ["declared twice"]),
        ("[published]\n", 1, ["without a number"]),
        ("[published]\nAP = '0.4x'\n", 2, ["AP: '0.4x'", 'a number such as 0.4993 or "0.4993"', "to do: "]),
        ("[published]\n\nAP = ''\n", 3, ["AP: ''", 'a number such as 0.4993 or "0.4993"']),
        ("[published]\nAP = '49.9%'\n", 2, ["AP: '49.9%'", "49.9% as 0.499"]),
        ("[published]\nAP = 'nan'\n", 2, ["AP: 'nan'", "a number"]),
        ("[published]\nAP = -inf\n", 2, ["AP: -inf", "a number"]),
        ("[published]\nAP = 1e400\n", 2, ["AP: inf", "a number"]),
        ("[published]\nAP = true\n", 2, ["AP: True", "a number"]),
        ("[published]\nAP = [0.5]\n", 2, ["AP: [0.5]", "a number"]),
        ("[published]\n'A\x7fP' = 'x'\n".replace("\x7f", "\u202e"), 2, ["A\\u202eP: 'x'"]),
        (f"[published]\nAP = '{'x' * 9999}'\n", 2, ["xxx…' (9999 characters)"]),
        (f"[published]\nAP = '{'1' * 9999}'\n", 2, ["111…' (9999 characters)"]),
        (f"[published]\nAP = {'1' * 9999}\n", 2, ["an integer with thousands of digits"]),
        (f"[published]\nAP = 0x{'f' * 9999}\n", 2, ["AP: an integer with thousands of digits"]),
        (f"[published]\nAP = {'1' * 999}\n", 2, ["AP: 1111", "a number"]),
        (f"tolerance = {'1' * 999}\n", 1, ["tolerance: 1111", "a number"]),
        ("[published]\nP.5 = 0.4\n", 2, ["quote a name"]),
        ("[published]\nAP = 0.5\ndecimals = 2.5\n", 3, ["number of digits"]),
        ("[published]\nAP = 0.5\ndecimals = 2.0\n", 3, ["number of digits"]),
        ("[published]\nAP = 0.5\nrun = 'x'\n", 3, ["one of the runs"]),
        ("published = 5\n", 1, ["tables [[published]]"]),
    ],
)
def test_an_error_in_case_toml_is_named_with_its_line(
    tmp_path: Path, config: str, line: int, parts: list[str]
) -> None:
    """File, line, what is wrong and what would be right."""
    folder = make(tmp_path / "c", "qrels", "run.a", config=config)
    text = failure([folder])
    assert text.startswith(f"{folder / 'case.toml'}:{line}: ")
    assert all(part in text for part in parts)


def test_case_toml_that_is_not_utf8(tmp_path: Path) -> None:
    """The line of the first bad byte is named."""
    folder = make(tmp_path / "c", "qrels", "run")
    (folder / "case.toml").write_bytes(b"# fine\ndescription = '\xff'\n")
    assert failure([folder]).startswith(f"{folder / 'case.toml'}:2: invalid TOML")
