"""The environment of a result, part of every document."""

from __future__ import annotations

import platform
from importlib import metadata

from crosscheck.results import Environment

__all__ = ["environment"]

#: Packages whose versions the document records when they are installed.
_PACKAGES = ("numpy", "pytrec-eval-terrier", "ir-measures", "evaluate", "trectools", "pandas", "scipy")


def environment() -> Environment:
    """Python, platform, and the installed packages that computed the numbers."""
    installed: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            installed[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return Environment(
        python=platform.python_version(), platform=platform.platform(terse=True), seed=0, packages=installed
    )
