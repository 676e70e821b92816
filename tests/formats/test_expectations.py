"""Accepting a mismatch writes its entry into case.toml and leaves every other byte where it was."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import InputError, UsageError
from crosscheck.formats.expectations import accept, remove
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


def accepted(path, text, *expectations, change=accept):
    """The text of the file after accepting, which is shown before; None if the file is gone."""
    shown: list[tuple[str, str, str]] = []
    path.write_bytes(text.encode())
    change(str(path), expectations, str, lambda *change: shown.append(change))
    after = path.read_bytes().decode() if path.exists() else None
    assert shown == [(str(path), text, after or "")]
    return after


def made(candidate="a", measure="AP", *causes, reason="r", **more):
    return Expectation(candidate=candidate, measure=measure, causes=causes, reason=reason, **more)


EXPECT = '[[expect]]\ncandidate = "a"\nmeasure = "AP"\ncauses = ["gain"]\nreason = "r"\n'
PROVED = EXPECT + 'strength = "proved" # once\n'
ADDED = """

[[expect]]
candidate = "c"
measure = "nDCG@10"
run = "run.a"
causes = ["rank-order", "tie-breaking"]
reason = "it \\"sorts\\""
"""
FOLLOWED = EXPECT + "\n# about what was published\n[published]\nAP = 1\n"


@pytest.mark.parametrize(
    ("text", "new", "expected"),
    [
        # A new entry goes to the end; so does one of another run, and nothing in front of it changes.
        (CONFIG, made("c", "nDCG@10", "rank-order", "tie-breaking", reason='it "sorts"', run="run.a"),
         CONFIG + ADDED),
        (EXPECT, made("a", "AP", "gain", run="run.a"),
         EXPECT + "\n" + EXPECT.replace("causes", 'run = "run.a"\ncauses')),
        # An entry of the same comparison is replaced in its place, comments and indentation stay.
        (CONFIG, made("b", "AP", "ap-denominator", reason="now known"),
         CONFIG.replace('["gain"]', '["ap-denominator"]').replace("'r2'", '"now known"')),
        # An outcome is added next to the other keys, on a line of its own; without causes the old ones go.
        (FOLLOWED, made("a", "AP", reason="dies", outcome="error"),
         FOLLOWED.replace('["gain"]', "[]").replace('"r"\n', '"dies"\noutcome = "error"\n')),
        (FOLLOWED.replace('"r"\n', '"r"\noutcome = "error"\n'), made("a", "AP", "gain"),
         FOLLOWED.replace('"r"\n', '"r"\noutcome = "mismatch"\n')),
        (EXPECT.rstrip(), made("a", "AP", "gain", outcome="error"), EXPECT + 'outcome = "error"\n'),
        # A strength is written only where the entry names one.
        (PROVED, made("a", "AP", "gain", strength="consistent"), PROVED.replace("proved", "consistent")),
        (EXPECT, made("a", "AP", "gain", strength="consistent"), EXPECT),
        ("", made("a", "AP", "gain", strength="consistent"), EXPECT),
        ("", made(outcome="error"), EXPECT.replace('causes = ["gain"]', 'outcome = "error"')),
        # Lines end as they did.
        (FOLLOWED.replace("\n", "\r\n"), made("a", "AP", "tie-breaking"),
         FOLLOWED.replace("gain", "tie-breaking").replace("\n", "\r\n")),
        ("a = 1\r\n", made("a", "AP", "gain"), ("a = 1\n\n" + EXPECT).replace("\n", "\r\n")),
    ],
)  # fmt: skip
def test_one_entry_changes_and_no_other_byte(tmp_path, text, new, expected):
    """A known mismatch is written beside what the file holds."""
    assert accepted(tmp_path / "case.toml", text, new) == expected


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (CONFIG.replace("P_10", "AP"), CONFIG.partition("[[")[0] + CONFIG[CONFIG.index("\n# about") :]),
        (FOLLOWED.replace("\n", "\r\n"), FOLLOWED.removeprefix(EXPECT).replace("\n", "\r\n")),
        (CONFIG, CONFIG),
        (EXPECT + "\n" + EXPECT.replace("causes", 'run = "run.a"\ncauses'), None),
    ],
)
def test_what_is_removed_takes_no_other_byte_along(tmp_path, text, left):
    """Comments behind an entry stay, and a file with nothing else goes."""
    gone = made(), made(run="run.a")
    assert accepted(tmp_path / "case.toml", text, *gone, change=remove) == left
    remove(str(tmp_path / "none.toml"), gone, str, lambda *_: pytest.fail("nothing is shown"))


REASONS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
ENTRIES = st.tuples(st.sampled_from("abcd"), st.sampled_from(["AP", "P_10"]), REASONS)


@given(st.lists(ENTRIES, min_size=1, max_size=4))
def test_what_is_accepted_reads_back(tmp_path_factory, some):
    """Any reason survives; the last one counts; what was not accepted is as before; twice is once."""
    path = tmp_path_factory.getbasetemp() / "accepted.toml"
    new = [made(candidate, measure, "gain", reason=reason) for candidate, measure, reason in some]
    text = accepted(path, CONFIG, *new)
    found, before = (
        {(e["candidate"], e["measure"]): e["reason"] for e in tomllib.loads(held)["expect"]}
        for held in (text, CONFIG)
    )
    assert found == before | {(candidate, measure): reason for candidate, measure, reason in some}
    assert len(tomllib.loads(text)["expect"]) == len(found)
    assert accepted(path, text, *new) == text


@pytest.mark.parametrize(
    ("text", "new", "error", "said"),
    [
        ("a = ", made(), InputError, "invalid TOML"),
        ("expect = [{candidate = 'a'}]\n", made(), InputError, "add by hand"),
        ("expect = 5\n", made(), InputError, "add by hand"),
        ("", made(reason=" "), UsageError, "reason"),
        (
            "expect = [{candidate = 'a', measure = 'AP'}]\n",
            None,
            InputError,
            "to be removed.*\n.*\n.*by hand",
        ),
    ],
)
def test_what_cannot_be_accepted_leaves_the_file(tmp_path, text, new, error, said):
    """The error shows what to do by hand; the file keeps its bytes. Nothing accepted, nothing touched."""
    path = tmp_path / "case.toml"
    with pytest.raises(error, match=said):
        accepted(path, text, new or made(), change=accept if new else remove)
    assert path.read_text() == text
    accept(str(tmp_path / "none.toml"), (), str, lambda *_: None)
    assert not (tmp_path / "none.toml").exists()
    with pytest.raises(InputError, match="cannot be written"):
        accept(str(tmp_path / "no" / "case.toml"), [made()], str, lambda *_: None)
