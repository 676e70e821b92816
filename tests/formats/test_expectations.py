"""Accepting a mismatch writes its entry into case.toml and leaves every other byte where it was."""

import tomllib
from difflib import unified_diff
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import CrosscheckError
from crosscheck.formats.expectations import accept, remove
from crosscheck.model import Expectation
from tests.support.kept import Kept

#: A file with comments and odd spacing; its last line has no end.
CONFIG = (Path(__file__).parent / "outputs" / "case.toml").read_text("utf-8")


def accepted(path, text, *expectations, change=accept):
    """The text of the file after accepting, which is shown before; None if the file is gone. If that fails,
    it keeps its bytes."""
    shown: list[tuple[str, str, str]] = []
    path.write_bytes(text.encode())
    try:
        change(str(path), expectations, str, lambda *change: shown.append(change))
    except CrosscheckError:
        assert path.read_bytes() == text.encode()
        raise
    after = path.read_bytes().decode() if path.exists() else None
    assert shown == [(str(path), text, after or "")]
    return after


def made(candidate="a", measure="AP", *causes, reason="r", **more):
    return Expectation(candidate=candidate, measure=measure, causes=causes, reason=reason, **more)


def changed(text, *expectations, change=accept):
    """The lines that accepting or removing changes in a file."""
    after = accepted(Path("case.toml"), text, *expectations, change=change)
    old, new = ((part or "").splitlines(keepends=True) for part in (text, after))
    lines = (repr(line)[1:-1] for line in unified_diff(old, new, n=1) if line[:3] not in ("---", "+++"))
    return "\n".join(lines) if after is not None else "the file is gone"


EXAMPLES = Kept(__file__, changed=changed, made=made, accept=accept, remove=remove, CONFIG=CONFIG, Path=Path)
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
