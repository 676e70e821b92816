"""What the files of several tools share; it stands beside them, where an audit finds it too."""

import importlib.util
import sys
from importlib import metadata
from types import ModuleType


def binary(levels):
    return [int(level > 0) for level in levels]


def numbered(ranked, relevant):
    """Ids as numbers, in the order in which they first occur."""
    known = {id: number for number, id in enumerate(dict.fromkeys([*ranked, *relevant]))}
    return [known[id] for id in ranked], [known[id] for id in relevant]


def stand_in(*names, **held):
    """Modules in place of those that a tool imports, and its metrics do not need."""
    for name in names:
        sys.modules[name] = module = ModuleType(name)
        module.__dict__.update(held)


def file_of(package, path):
    """A file of an installed package, without the package itself, which imports much more."""
    name = path.removesuffix(".py").replace("/", ".")
    spec = importlib.util.spec_from_file_location(name, metadata.distribution(package).locate_file(path))
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
