"""A child that is started before its work is known serves the first that asks, or ends."""

import pytest

from crosscheck.cli.commands import run_command
from crosscheck.processes import supervised as early
from crosscheck.processes.supervised import Supervised


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Supervised]:
    """All children that are started."""
    found: list[Supervised] = []
    start = early._start

    def noted(memory: int | None) -> Supervised:
        found.append(start(memory))
        return found[-1]

    monkeypatch.setattr(early, "_start", noted)
    return found


def test_the_first_that_asks_gets_it(begun):
    """The second one, and one with another limit of memory, get children of their own."""
    with early.starting():
        limited, first, second = early.started(10**9), early.started(), early.started()
        assert [begun.index(one) for one in (limited, first, second)] == [1, 0, 2]
    for one in begun:
        assert one.alive()
        one.close()


def test_it_ends_if_nobody_asks(begun):
    """Its process is gone after the block."""
    with early.starting():
        assert begun[0].alive()
    assert not begun[0].alive()


def test_an_audit_of_a_function_starts_two_children(begun, tmp_path, monkeypatch):
    """The one that was started before the imports is the one that calls the function; a second one is asked
    for the battery again."""
    source = "def f(gains):\n    return float(gains[0] > 0) if gains else 0.0\n"
    (tmp_path / "m.py").write_text(source, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run_command(["audit", "m.py:f", "-m", "P@1", "--quiet"]) == 0
    assert len(begun) == 2
    assert not any(child.alive() for child in begun)
