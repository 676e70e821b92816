"""The committed cases are what their recipes say, with real mismatches; examples are evaluated."""

from pathlib import Path

import pytest

from tests.programs.fixtures import all_files
from tests.support.cases import cases
from tests.support.kept import Absent, Kept

EXAMPLES = Kept(__file__, all_files=all_files, cases=cases)
test_examples = EXAMPLES.test()
TESTS = Path(__file__).parent


def test_examples_are_evaluated_anew(tmp_path):
    """Whatever stands below them; what is not installed stays, and no file is without its test."""
    (tmp_path / "outputs").mkdir()
    text = '>>> import math\n>>> ONE = {\n... "x": 1}\n>>> ONE["x"] + math.floor(1.5)\n{}'
    text += '>>> int("x\\x1b")\n{}>>> absent()\n    old\n'
    said = "    2\n", "    ValueError: invalid literal for int() with base 10: 'x\\x1b'\n"

    def absent():
        raise Absent

    kept = Kept(str(tmp_path / "test_some.py"), ValueError, absent=absent)
    kept.path.write_text(text.replace("{}", "    old\n    more\n"))
    with pytest.raises(AssertionError, match="is it right"):
        kept.test()()
    assert kept.anew() == text.replace("{}", "%s") % said
    kept.path.write_text(kept.anew())
    kept.test()()
    for path in TESTS.glob("**/outputs/*.txt"):
        room, name = path.parent.parent, path.stem.partition(".")[0]
        if not (room / "test_outputs.py").exists() and room.name != "html":
            text = (room / f"test_{name}.py").read_text("utf-8")
            tests = (".anew() ==", ".holds(given)", ".test(", "examples(globals()", "holds(block, ")
            assert any(test in text for test in tests), path
