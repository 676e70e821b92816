"""Accepting a mismatch writes its entry into case.toml and leaves every other byte where it was."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import InputError, UsageError
from crosscheck.formats.cases import read_config
from crosscheck.formats.expectations import accept
from crosscheck.model import Expectation

CONFIG = """\
# top of the file
description = "x"   # odd   spacing
measures = [
  "P@10",  # first
  ["not a header"],
]

[[expect]]   # the first
# why: see the paper
candidate = "a"  # c
measure = "P_10"
causes = ["tie-breaking"]  # label
reason = \"\"\"
[[expect]]
old\"\"\"

# about what was published
[published]
"P@5" = 0.40  # printed

  [[expect]]
  candidate = "b"
  measure = "AP"
  causes = ["gain"]
  reason = 'r2'
# the end"""


def accepted(path: Path, text: str, *expectations: Expectation, **kwargs: object) -> str:
    """The text of the file after accepting."""
    path.write_bytes(text.encode())
    accept(str(path), expectations, **kwargs)  # type: ignore[arg-type]
    return path.read_bytes().decode()


def test_a_new_expectation_goes_to_the_end(tmp_path: Path) -> None:
    """Nothing in front of it changes."""
    new = Expectation(
        candidate="c",
        measure="nDCG@10",
        causes=("rank-order", "tie-breaking"),
        reason='it "sorts"',
        run="run.a",
    )
    assert accepted(tmp_path / "case.toml", CONFIG, new) == (
        CONFIG
        + '\n\n[[expect]]\ncandidate = "c"\nmeasure = "nDCG@10"\nrun = "run.a"\n'
        + 'causes = ["rank-order", "tie-breaking"]\nreason = "it \\"sorts\\""\n'
    )


def test_an_entry_of_the_same_comparison_is_replaced_in_its_place(tmp_path: Path) -> None:
    """Comments, indentation and the table between two expectations stay where they are."""
    new = Expectation(candidate="b", measure="AP", causes=("ap-denominator",), reason="now known")
    expected = CONFIG.replace('["gain"]', '["ap-denominator"]').replace("'r2'", '"now known"')
    assert accepted(tmp_path / "case.toml", CONFIG, new) == expected


def test_another_spelling_of_the_measure_is_the_same_when_the_caller_says_so(tmp_path: Path) -> None:
    """The spelling in the file stays; brackets inside texts are no headers."""
    new = Expectation(candidate="a", measure="P@10", causes=("gain",), reason="new")
    changed = accepted(tmp_path / "case.toml", CONFIG, new, canonical=lambda name: name.replace("_", "@"))
    expected = CONFIG.replace('["tie-breaking"]', '["gain"]').replace('"""\n[[expect]]\nold"""', '"new"')
    assert changed == expected
    assert accepted(tmp_path / "case.toml", CONFIG, new).startswith(CONFIG)


def test_another_run_is_another_comparison(tmp_path: Path) -> None:
    """An entry for every run and an entry for one run can coexist."""
    new = Expectation(candidate="b", measure="AP", causes=("gain",), reason="r", run="run.a")
    assert accepted(tmp_path / "case.toml", CONFIG, new).startswith(CONFIG)


def test_a_strength_is_written_where_the_entry_names_one(tmp_path: Path) -> None:
    """Another entry, and a new one, keep comparing causes only."""
    found = Expectation(candidate="a", measure="AP", causes=("gain",), reason="r", strength="consistent")
    named = EXPECT + 'strength = "proved" # once\n'
    assert accepted(tmp_path / "case.toml", named, found) == named.replace('"proved"', '"consistent"')
    assert accepted(tmp_path / "case.toml", EXPECT, found) == EXPECT
    assert "strength" not in accepted(tmp_path / "new.toml", "", found)


def test_an_outcome_is_added_next_to_the_other_keys(tmp_path: Path) -> None:
    """A comment above the next table stays above it; without causes the old ones go."""
    text = EXPECT + "\n# about what was published\n[published]\nAP = 1\n"
    changed = accepted(
        tmp_path / "case.toml",
        text,
        Expectation(candidate="a", measure="AP", causes=(), reason="dies", outcome="error"),
    )
    assert changed == text.replace('["gain"]', "[]").replace('"r"\n', '"dies"\noutcome = "error"\n')
    back = accepted(
        tmp_path / "case.toml",
        changed,
        Expectation(candidate="a", measure="AP", causes=("gain",), reason="r"),
    )
    assert back == text.replace('"r"\n', '"r"\noutcome = "mismatch"\n')


EXPECT = '[[expect]]\ncandidate = "a"\nmeasure = "AP"\ncauses = ["gain"]\nreason = "r"\n'


def test_a_last_line_without_an_end_gets_one(tmp_path: Path) -> None:
    """A key added after it is on its own line."""
    new = Expectation(candidate="a", measure="AP", causes=("gain",), reason="r", outcome="error")
    assert accepted(tmp_path / "case.toml", EXPECT.rstrip(), new) == EXPECT + 'outcome = "error"\n'


def test_the_file_is_created(tmp_path: Path) -> None:
    """A case without case.toml gets one; several expectations at once."""
    path = tmp_path / "case.toml"
    expectations = (
        Expectation(candidate="a", measure="AP", causes=("gain",), reason="r"),
        Expectation(candidate="b", measure="AP", causes=("gain",), reason="r"),
    )
    accept(str(path), expectations)
    assert path.read_text() == EXPECT + "\n" + EXPECT.replace('"a"', '"b"')
    assert read_config(str(path), []).expectations == expectations


def test_nothing_to_accept_touches_nothing(tmp_path: Path) -> None:
    """Not even the file is created."""
    accept(str(tmp_path / "case.toml"), ())
    assert not (tmp_path / "case.toml").exists()


def test_crlf_files_stay_crlf(tmp_path: Path) -> None:
    """New and changed lines end as the others do."""
    text = CONFIG.replace("\n", "\r\n")
    changed = accepted(
        tmp_path / "case.toml",
        text,
        Expectation(candidate="b", measure="AP", causes=("x",), reason="new", outcome="error"),
        Expectation(candidate="c", measure="AP", causes=("x",), reason="new"),
    )
    assert changed.count("\n") == changed.count("\r\n")
    assert changed.startswith(text[: text.index('  causes = ["gain"]')])


REASONS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["AP", "P_10"]), REASONS), min_size=1))
def test_what_is_accepted_reads_back(
    tmp_path_factory: pytest.TempPathFactory, some: list[tuple[str, str, str]]
) -> None:
    """Any reason survives; the last one counts; what was not accepted is as before; twice is once."""
    path = tmp_path_factory.getbasetemp() / "accepted.toml"
    new = [
        Expectation(candidate=candidate, measure=measure, causes=("gain",), reason=reason)
        for candidate, measure, reason in some
    ]
    text = accepted(path, CONFIG, *new)
    found = {(e["candidate"], e["measure"]): e["reason"] for e in tomllib.loads(text)["expect"]}
    before = {(e["candidate"], e["measure"]): e["reason"] for e in tomllib.loads(CONFIG)["expect"]}
    assert found == before | {(candidate, measure): reason for candidate, measure, reason in some}
    assert len(tomllib.loads(text)["expect"]) == len(found)
    assert accepted(path, text, *new) == text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a = ", "invalid TOML"),
        ("expect = [{candidate = 'a'}]\n", "add by hand"),
        ("expect = 5\n", "add by hand"),
    ],
)
def test_files_that_cannot_be_edited_stay_as_they_are(tmp_path: Path, text: str, part: str) -> None:
    """The error shows what to add by hand; the file keeps its bytes."""
    path = tmp_path / "case.toml"
    with pytest.raises(InputError, match=part):
        accepted(path, text, Expectation(candidate="a", measure="AP", causes=("gain",), reason="r"))
    assert path.read_text() == text


def test_a_reason_is_required(tmp_path: Path) -> None:
    """An expectation without a reason is not written."""
    with pytest.raises(UsageError, match="reason"):
        accept(
            str(tmp_path / "case.toml"),
            [Expectation(candidate="a", measure="AP", causes=("gain",), reason=" ")],
        )


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """A failing write is an input error."""
    with pytest.raises(InputError, match="cannot be written"):
        accept(
            str(tmp_path / "no" / "case.toml"),
            [Expectation(candidate="a", measure="AP", causes=("gain",), reason="r")],
        )
