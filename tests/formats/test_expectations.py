"""Accepting a mismatch writes its entry into case.toml and leaves every other byte where it was."""

import tomllib
from difflib import unified_diff
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import InputError, UsageError
from crosscheck.formats.expectations import accept, remove
from crosscheck.model import Expectation
from tests.support.kept import Kept

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


def changed(text, *expectations, change=accept):
    """The lines that accepting or removing changes in a file."""
    after = accepted(Path("case.toml"), text, *expectations, change=change)
    lines = [(part or "").splitlines(keepends=True) for part in (text, after)]
    difference = [
        repr(line)[1:-1] for line in unified_diff(*lines, n=1) if not line.startswith(("---", "+++"))
    ]
    return "\n".join(difference) if after is not None else "the file is gone"


EXAMPLES = Kept(__file__, changed=changed, made=made, accept=accept, remove=remove, CONFIG=CONFIG)
test_examples = EXAMPLES.test()


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


def test_what_cannot_be_accepted_leaves_the_file(tmp_path):
    """It keeps its bytes. Nothing accepted or removed, nothing touched, and nothing shown."""
    path, new = tmp_path / "case.toml", made(reason=" ")
    with pytest.raises(UsageError, match="reason"):
        accepted(path, CONFIG, new)
    with pytest.raises(InputError, match="by hand"):
        accepted(path, "expect = 5\n", made())
    assert path.read_text() == "expect = 5\n"
    for change, some in ((accept, ()), (remove, (made(),))):
        change(str(tmp_path / "none.toml"), some, str, lambda *_: pytest.fail("nothing is shown"))
    assert not (tmp_path / "none.toml").exists()
