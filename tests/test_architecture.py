"""The code follows ARCHITECTURE.md: imports go one way, and each room uses only what it may."""

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import crosscheck
from crosscheck.registry import STUDIES
from crosscheck.report.kinds import kind

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


@cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def module_of(path):
    parts = ("crosscheck", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported(path, nodes):
    """The modules of the package that these nodes of a file import, at once or later."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            assert node.module, f"{path.name} imports relatively"
            members = [f"{node.module}.{name.name}" for name in node.names]
            found |= {member if member in MODULES else node.module for member in members}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return (found & MODULES.keys()) - {module_of(path)}


FILES = [path for path in MODULES.values() if room_of(path) in LEVEL]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_no_room_above_it(path):
    """No file imports from a room above its own, nor from one beside the house."""
    rooms = {name.split(".")[1] for name in imported(path, ast.walk(parsed(path))) if "." in name}
    above = {room for room in rooms if LEVEL.get(room, 99) > LEVEL[room_of(path)]}
    if path == PACKAGE / "axes" / "base.py":  # the types of what asks an axis
        above -= {"evaluation", "measures"}
    assert not above, f"{path.relative_to(PACKAGE)} imports {sorted(above)}"


def test_every_room_has_its_place():
    """ARCHITECTURE.md, on one page, has the folders and files at the top of the package, and no others."""
    assert len(PLAN.splitlines()) <= 110
    here = {
        p.name.removesuffix(".py")
        for p in PACKAGE.iterdir()
        if p.suffix == ".py" or (p / "__init__.py").exists()
    }
    assert here - {"__init__", "__main__"} == LEVEL.keys() | BESIDE
    assert len(TABLE) > 20
    assert BESIDE.isdisjoint(LEVEL)


def outside_of_type_checking(node):
    """All nodes that may run, also those of functions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from outside_of_type_checking(child)


def test_no_files_import_each_other_in_a_circle():
    """A file can be understood after those that it imports; imports within functions count."""
    graph = {name: imported(path, outside_of_type_checking(parsed(path))) for name, path in MODULES.items()}
    assert sum(map(len, graph.values())) > len(MODULES)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def classes():
    """The definition of each class of the package."""
    for path in MODULES.values():
        yield from (node for node in parsed(path).body if isinstance(node, ast.ClassDef))


def test_a_class_has_a_name_of_its_own():
    """Who reads a name need not ask from which file it comes."""
    times = Counter(node.name for node in classes())
    assert [name for name, number in times.items() if number > 1] == []


def test_a_record_is_a_struct():
    """Only the record of ``crosscheck.benchmark_metrics`` is a dataclass, as its specification says."""
    decorators = [(node.name, ast.unparse(one)) for node in classes() for one in node.decorator_list]
    assert {name for name, decorator in decorators if "dataclass" in decorator} <= {"IRMetrics"}


def test_help_imports_nothing_heavy():
    """Help must be instant: that of the program, and that of every command, also of a study."""
    heavy = ["numpy", "rich", "pandas", "evaluate", "ir_measures", "pytrec_eval", "scipy"]
    code = f"""if True:
        import sys
        from crosscheck.cli.commands import _cli, run_command
        for command in _cli.list_commands(None):
            run_command([command, "--help"] if command != "trec_eval" else ["--help"])
        print([module for module in {heavy} if module in sys.modules])
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("Usage: crosscheck") > len(STUDIES)
    assert done.stdout.splitlines()[-1] == "[]"


def test_only_the_study_that_is_meant_is_loaded():
    """By its name in Python, and as the kind of a document; every study of the table has both."""
    modules = "sorted(m.split('.')[2] for m in sys.modules if m.startswith('crosscheck.studies.'))"
    shared = ["base", "options"]
    for asked in (
        "import crosscheck; crosscheck.describe",
        "from crosscheck.report.kinds import kind; kind('describe')",
    ):
        code = f"{asked}; import sys; print({modules})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(sorted(["describe", *shared]))
    files = {path.stem for path in (PACKAGE / "studies").glob("*.py")}
    assert files - {"__init__", "lint", *shared} == STUDIES.keys()
    assert {kind(name).name for name in STUDIES} == STUDIES.keys()


def test_every_public_name_is_there_and_sorted():
    """The public API is what __all__ says, in order; a study has the name of its command."""
    assert list(crosscheck.__all__) == sorted(crosscheck.__all__)
    assert STUDIES.keys() - set(crosscheck.__all__) == {"compare"}
    for name in crosscheck.__all__:
        assert getattr(crosscheck, name) is not None


def test_the_name_of_a_tool_becomes_conventions_of_a_measure_in_one_place():
    """A tool computes its measures in several ways, so only ``conventions_for`` turns a profile's name into
    conventions that a measure is computed under. The others need no measure, or show what was given."""
    users = {
        str(path.relative_to(PACKAGE))
        for path in MODULES.values()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.module == "crosscheck.conventions"
        if "conventions" in {alias.name for alias in node.names}
    }
    assert users == {
        "names.py",
        "backends/native.py",  # whether the conventions are trec_eval's
        "cli/about.py",
        "frames.py",  # settings of axes
        "formats/cases.py",  # whether the text can be read
        "backends/guarded.py",  # what a backend follows, which values then decide
        "statistics/pooling.py",  # an order of documents
    }


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


def test_each_module_has_a_test_where_one_looks_for_it():
    modules = [path.relative_to(PACKAGE) for path in MODULES.values() if path.name != "__init__.py"]
    places = {str(module): places_of(module) for module in modules}
    assert [module for module, files in places.items() if not files] == []
    assert [file for files in places.values() for file in files if not file.exists()] == []
