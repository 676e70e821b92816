"""The code follows ARCHITECTURE.md: imports go one way, and each room uses only what it may."""

import ast
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.kept import Kept

# Of the checkout: an installed copy has no ARCHITECTURE.md beside it.
PACKAGE = Path(__file__).parents[1] / "crosscheck"
TESTS = Path(__file__).parent
PLAN = (PACKAGE.parent / "ARCHITECTURE.md").read_text("utf-8")


def rooms_in(text):
    return re.findall(r"`(\w+)(?:/|\.py)`", text)


#: Rooms from the ground up, in the order of the table: a room may import itself and the rooms before it.
TABLE = re.findall(r"(?m)^\| (`.*?) \|", PLAN)
LEVEL = {room: level for level, room in enumerate(rooms_in(" ".join(TABLE)))}
#: They use the records below and stand beside the house.
BESIDE = set(rooms_in(next(part for part in PLAN.split("\n\n") if "beside the house" in part)))
#: A file, from the folder of the package -> what is written in it.
TREES = {one.relative_to(PACKAGE): ast.parse(one.read_text("utf-8")) for one in sorted(PACKAGE.rglob("*.py"))}
#: The name of a module -> its file.
MODULES = {".".join(("crosscheck", *p.with_suffix("").parts)).removesuffix(".__init__"): p for p in TREES}


def room_of(path):
    return path.parts[0].removesuffix(".py")


def imported(path, nodes):
    """The files of the package that these nodes of a file import, at once or later."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            assert node.module, f"{path} imports relatively"
            members = [f"{node.module}.{name.name}" for name in node.names]
            found |= {member if member in MODULES else node.module for member in members}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return {MODULES[name] for name in found & MODULES.keys()} - {path}


def test_a_room_imports_no_room_above_it():
    """No file imports from a room above its own, nor from one beside the house."""
    above = {
        (str(path), room_of(other))
        for path, tree in TREES.items()
        for other in imported(path, ast.walk(tree))
        if LEVEL.get(room_of(other), 99) > LEVEL.get(room_of(path), 99) and str(other) != "__init__.py"
    }
    # The types of what asks an axis.
    assert above == {("axes/base.py", "evaluation"), ("axes/base.py", "measures")}


def outside_of_type_checking(node):
    """All nodes that may run, also those of functions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from outside_of_type_checking(child)


def test_no_files_import_each_other_in_a_circle():
    """A file can be understood after those that it imports; imports within functions count."""
    graph = {path: imported(path, outside_of_type_checking(tree)) for path, tree in TREES.items()}
    assert sum(map(len, graph.values())) > len(MODULES)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(map(str, error.args[1])))


def loads(program, *modules):
    """What a program prints; and which of these modules, and of those within them, it has loaded then."""
    code = f"""{program}
import sys
print("loaded:", *sorted(m for m in sys.modules if m in {modules} or m.rpartition(".")[0] in {modules}))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def importers(module, name):
    """The files that import a name from a module."""
    nodes = ((path, node) for path, tree in TREES.items() for node in ast.walk(tree))
    found = (
        (path, node) for path, node in nodes if isinstance(node, ast.ImportFrom) and node.module == module
    )
    return sorted({str(path) for path, node in found if name in {alias.name for alias in node.names}})


def places_of(module):
    """The files that test a module: ``tests/ROOM/test_MODULE.py``, and those that the docstring of
    ``tests/ROOM/__init__.py`` has in the module's line."""
    room = TESTS / module.parts[0] if len(module.parts) > 1 else TESTS
    own = TESTS / module.with_name(f"test_{module.name}")
    found = [own] if own.exists() else []
    for line in (room / "__init__.py").read_text("utf-8").splitlines():
        modules, _, files = line.partition(": ")
        if str(module).removeprefix(f"{room.name}/") in modules.split(", "):
            found += [room / file if (room / file).exists() else TESTS / file for file in files.split(", ")]
    return found


EXAMPLES = Kept(__file__, within=(globals(),))
test_examples = EXAMPLES.test()
