"""What the files of several tools share; it stands beside them, where an audit finds it too."""

import importlib.util
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import ModuleType


def define(module):
    """Define the functions of a tool in its file, as ``code`` says in ``tools.toml``; those without
    parameters there have the words of their call."""
    path = Path(module["__file__"])
    said = tomllib.loads(path.parents[1].joinpath("tools.toml").read_text("utf-8"))
    tool = said[path.stem.removesuffix("_metrics")]
    names = globals() | {"__name__": module["__name__"]}
    exec(tool["code"].pop("uses"), names)
    for name, returned in tool["code"].items():
        cell = tool["cells"][name.partition("(")[0]]
        call = (cell if isinstance(cell, str) else cell[0]).partition(" call ")[2] or tool.get("call", "")
        signature = name if "(" in name else f"{name}{call[1:].replace('k=k', 'k')}"
        exec(f"def {signature}: return {returned}", names, module)


def binary(levels):
    return [int(level > 0) for level in levels]


def tensors(*rows):
    """Each list as a matrix of one row."""
    import torch

    return (torch.tensor([row], dtype=torch.float32) for row in rows)


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
