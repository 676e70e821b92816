"""Hook that lets the plain command ``ir_measures --provider crosscheck`` find the provider.

ir_measures has no entry points: a provider is registered when its module is imported, and the command
``ir_measures`` does not import crosscheck's. ``python -m crosscheck.ir_measures_provider install`` writes a
``.pth`` file into this Python environment, which Python reads at every start. Its one line calls
:func:`watch`, so that :mod:`crosscheck.ir_measures_provider` is imported when the command ``ir_measures`` is,
and never otherwise. ``uninstall`` removes the file.
"""

from __future__ import annotations

import importlib
import sys

__all__ = ["command", "install", "uninstall", "watch"]

_FILE = "crosscheck_ir_measures.pth"
# Python warns at every start about a line that fails, as it would once crosscheck is uninstalled.
_LINE = (
    "import sys; "
    r'exec("try: import crosscheck.ir_measures_hook as hook; hook.watch()\nexcept ImportError: pass")'
)


class _CommandFinder:
    """Finds no module; only notices that the command ``ir_measures`` is about to be imported."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> None:
        """Import the provider when the command of ir_measures is imported. Find no module: Python goes on
        to the next finder. Python calls this for every import."""
        if name == "ir_measures.__main__":
            sys.meta_path.remove(cls)
            importlib.import_module("crosscheck.ir_measures_provider")


def watch() -> None:
    """From now on, register the provider when the command ``ir_measures`` is imported."""
    sys.meta_path.insert(0, _CommandFinder)


def install(folder: str | None = None) -> str:
    """Write the ``.pth`` file and return its path.

    Args:
        folder: package folder; by default that of this environment.

    Raises:
        OSError: the folder cannot be written to.
    """
    path = _path(folder)
    from crosscheck.formats.source import write_whole

    write_whole(path, _LINE + "\n")
    return path


def uninstall(folder: str | None = None) -> str:
    """Remove the ``.pth`` file, if it is there, and return its path; ``folder`` as for :func:`install`."""
    import contextlib
    import os

    path = _path(folder)
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)
    return path


def _path(folder: str | None) -> str:
    import os
    import sysconfig

    return os.path.join(folder or sysconfig.get_path("purelib"), _FILE)


def command(name: str) -> int:
    """Install or uninstall from the command line; the exit code is 0, or 2 if the file cannot be changed."""
    try:
        path = install() if name == "install" else uninstall()
    except OSError as error:
        sys.stderr.write(f"crosscheck: error: {error.filename}: {error.strerror}\n")
        return 2
    done = "ir_measures --provider crosscheck works now, through" if name == "install" else "removed"
    sys.stdout.write(f"{done} {path}\n")
    return 0
