"""Hook that lets the plain command ``ir_measures --provider crosscheck`` find the provider.

ir_measures has no entry points: a provider is registered when its module is imported, and the command
``ir_measures`` does not import crosscheck's. ``python -m crosscheck.ir_measures_provider install`` writes a
``.pth`` file into this Python environment, which Python reads at every start. Its one line calls
:func:`watch`, so that :mod:`crosscheck.ir_measures_provider` is imported when the command ``ir_measures`` is,
and never otherwise. ``uninstall`` removes the file.
"""

import importlib
import sys

__all__ = ["watch"]


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
