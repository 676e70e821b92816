"""The changes that the program for mutation makes, and those it leaves out."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.programs import mutation
from tests.support.kept import Kept


def changes(source: str) -> str:
    """Each change of a module, in its order."""
    path = Path("sample.py")
    path.write_text(source)
    found = sorted(mutation.mutants(path), key=lambda one: (one.line, one.start, one.before, one.after))
    return "\n".join(f"{one.line}: {one.before} -> {one.after}".replace("\n", " ") for one in found)


EXAMPLES = Kept(__file__, changes=changes)


@pytest.fixture(autouse=True)
def plugin(tmp_path):
    """The package that pytest's plugin of this project is in: a fork sees its folder's own."""
    for name in ("__init__", "testing/__init__", "testing/plugin"):
        path = tmp_path / "crosscheck" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("")


@EXAMPLES.each()
def test_conditions_numbers_and_results_are_changed_and_nothing_else(given):
    """Annotations, keywords of classes, docstrings and imports for types stay as they are."""
    EXAMPLES.holds(given)


def test_the_same_seed_draws_the_same_mutants_of_every_room():
    """No line twice; a room has its share, and a small one has at least one."""
    rooms = ["explain", "processes", "statistics"]
    first, again, other = (mutation.drawn(rooms, 60, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len({(one.path, one.line) for one in first}) == len(first) == 60
    counted = Counter(one.room for one in first)
    assert counted.keys() == set(rooms)
    assert counted["explain"] > counted["processes"]


def test_a_fork_says_what_failed_and_ends_what_never_ends(tmp_path):
    """Exit code and names of failed tests; no code after the limit; the next fork is not harmed."""
    (tmp_path / "test_it.py").write_text(
        "def test_endless():\n    while True: pass\ndef test_wrong(): assert False\n"
    )
    assert mutation.forked(tmp_path, ["test_it.py::test_endless"], 1) == (None, [])
    assert mutation.forked(tmp_path, ["test_it.py::test_wrong"], 60) == (1, ["test_it.py::test_wrong"])


def test_tests_kill_what_is_wrong_and_leave_what_is_equivalent(tmp_path, monkeypatch, capsys):
    """In a project with the settings of this one: of two changes the equivalent one survives. Where tests
    fail without any change, no change is said to be killed."""
    for name, text in {
        "crosscheck/errors.py": "class InputWarning(UserWarning): pass\n",
        "crosscheck/far.py": "def far(value):\n    return max(value, 0) + abs(0)\n",
        "tests/test_far.py": "from crosscheck.far import far\ndef test_far():\n    assert far(2) == 2\n",
        "pyproject.toml": (mutation.ROOT / "pyproject.toml").read_text(),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    test = "tests/test_far.py::test_far"
    (tmp_path / "map").write_text(json.dumps([{"far.py": {"2": [test]}}, {test: 0.01}]))
    monkeypatch.setattr(mutation, "ROOT", tmp_path)
    found = {one.after: one for one in mutation.mutants(tmp_path / "crosscheck" / "far.py")}
    wrong, equivalent = found["(min(value, 0))"], found["(max(value, 0) - abs(0))"]
    monkeypatch.setattr(mutation, "drawn", lambda *of: [wrong, equivalent])
    monkeypatch.setattr("sys.argv", ["mutation", "--map", str(tmp_path / "map")])
    assert mutation.main() == 1
    said = capsys.readouterr().out
    assert f"WRONG  (top level): {equivalent}: survived: far: " in said
    assert "1 killed, 1 survived" in said
    (tmp_path / "tests" / "test_far.py").write_text("def test_far(): assert False")
    assert mutation.main() == 1
    said = capsys.readouterr().out
    assert f"{wrong}: failed: RuntimeError: {test} fails without a mutant" in said
    assert "killed" not in said
