"""An environment for each tool: its package, and the light base of this checkout to audit it."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.programs.board import Package
from tests.support.cases import ROOT

#: The build of PyTorch that all packages share. Only pip finds the one for CPUs where a machine has its file.
TORCH = "torch==2.13.0"
#: Packages for graphics cards, of several gigabytes.
_FOR_CARDS = re.compile(r"\b(?:nvidia|triton|cuda)[-_\w]*", re.IGNORECASE)
#: Packages whose version may matter to a tool that uses them.
_BESIDE = ("jax", "numba", "numpy", "pandas", "pytrec-eval-terrier", "scikit-learn", "scipy", "torch")
_VERSIONS = """
import importlib.metadata, json, sys
found = {name: [*importlib.metadata.distributions(name=name)] for name in sys.argv[1:]}
versions = {name: of[0].version for name, of in found.items() if of}
print(json.dumps({"python": sys.version.split()[0], **versions}))
"""


@dataclass(frozen=True)
class Installed:
    """An interpreter, versions of packages that may matter, and a folder with an older release, found
    first."""

    python: Path
    versions: dict[str, str]
    paths: tuple[str, ...] = ()

    def run(self, arguments: list[str], folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
        """The output of the interpreter in this folder."""
        # A tool is started some times: it keeps its bytecode, which installers may not have made. An empty
        # setting is none.
        bytecode = str(Path(tempfile.gettempdir()) / "crosscheck-board-bytecode")
        environ = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": bytecode}
        environ["PYTHONPATH"] = os.pathsep.join([*self.paths, *more])
        command = [str(self.python), *arguments]
        return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


def installed(package: Package, environments: Path) -> Installed:
    """The environment of a tool, which is made if it is missing or lacks the package. A RuntimeError says
    that something could not be installed, or only with packages for graphics cards."""
    environments.mkdir(parents=True, exist_ok=True)
    with (environments / f"{package.environment}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several tools may share it
        python, paths = _python_of(package, environments), []
        if package.older:
            older = environments / package.environment / "older" / package.older
            if not older.exists():
                _install(python, ["--no-deps", "--target", str(older), package.older])
            paths.append(str(older))
    return _with_versions(package, python, *paths)


def this(package: Package) -> Installed:
    """The interpreter that runs this, for the tools of the test environment."""
    return _with_versions(package, Path(sys.executable))


def _with_versions(package: Package, python: Path, *paths: str) -> Installed:
    wanted = [*package.alone, *package.dependencies, package.older]
    names = sorted({*_BESIDE, *(re.split("[=<>]", one)[0] for one in wanted if one)})
    found = Installed(python, {}, paths).run(["-c", _VERSIONS, *names], python.parent).stdout
    return Installed(python, json.loads(found), paths)


@cache
def _python_of(package: Package, environments: Path) -> Path:
    folder = environments / package.environment
    python = folder / "bin" / "python"
    done = folder / "installed.txt"
    wanted = "\n".join([*package.dependencies, *package.alone])
    had = done.read_text("utf-8").split("\n\n") if done.exists() else []
    if wanted in had:
        return python
    if not had:
        venv.create(folder, with_pip=shutil.which("uv") is None or package.environment == "torch", clear=True)
        if package.environment == "torch":
            _run([str(python), "-m", "pip", "install", "--quiet", TORCH])
        base = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
        _install(python, base)
        _install(python, ["--no-deps", "--editable", str(ROOT)])
    if package.dependencies:
        # A package that asks for an older numpy is installed without dependencies.
        _install(python, [*package.dependencies, "numpy>=2"])
    if package.alone:
        _install(python, ["--no-deps", *package.alone])
    done.write_text("\n\n".join([*had, wanted]), "utf-8")
    return python


def _install(python: Path, what: list[str]) -> None:
    """With uv where it is installed; nothing for graphics cards."""
    if shutil.which("uv"):
        command = ["uv", "pip", "install", "--python", str(python)]
    else:
        command = [str(python), "-m", "pip", "install"]
    planned = _run([*command, "--dry-run", *what])
    if found := _FOR_CARDS.search(planned):
        raise RuntimeError(f"{' '.join(what)} would install {found[0]}: share the environment torch")
    _run([*command, *what])


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-1500:]}")
    return done.stdout + done.stderr
