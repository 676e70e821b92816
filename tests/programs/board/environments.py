"""An environment for each package: the package, and the light base of this checkout to audit it."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
import venv
from pathlib import Path

from tests.programs.board import Package

__all__ = ["python_of"]

ROOT = Path(__file__).parents[3]
#: The build of PyTorch that all packages share. Only pip finds the one for CPUs where a machine has its file.
TORCH = "torch==2.13.0"
#: Packages for graphics cards, of several gigabytes.
_FOR_CARDS = re.compile(r"\b(?:nvidia|triton|cuda)[-_\w]*", re.IGNORECASE)


def python_of(package: Package, environments: Path) -> Path:
    """The interpreter of a package's environment, which is made if it is missing or lacks the package.

    Raises:
        RuntimeError: something could not be installed, or only with packages for graphics cards.
    """
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
