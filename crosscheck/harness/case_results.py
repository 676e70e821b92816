"""A cache of the results of cases, kept in files between commands (``--cache``)."""

import hashlib
import os
import platform
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from crosscheck import __version__
from crosscheck.backends.base import Options
from crosscheck.formats.source import write_whole
from crosscheck.harness.asking import Invocation
from crosscheck.harness.document import CaseResults
from crosscheck.model import Case


class ResultCache:
    """Results of cases in files, one for each case and set of settings.

    A file also holds a digest of what the results depend on: the content of the case's files, the installed
    packages and crosscheck itself. The file is not used if any of these has changed. Nothing is cached if the
    answers of a backend may depend on anything else, as the answers of a user's function may.

    Args:
        call: the call. ``call.settings.cache`` is the folder of the cache; if it is None, nothing is cached.
    """

    def __init__(self, call: Invocation) -> None:
        self._guards = call.guards.values()
        settings = call.settings
        self._folder = settings.cache if all(guard.backend.repeatable for guard in self._guards) else None
        settings_of_results = replace(settings, cache=None, jobs=1, options=Options())
        self._question = repr((settings_of_results, list(call.descriptions.values())))
        self._software = repr(_software()) if self._folder is not None else ""

    def results(self, case: Case) -> CaseResults | None:
        """The cached results of a case; None if there are none, or if they depend on something that has
        changed."""
        if self._folder is None:
            return None
        try:
            data = self._path(self._folder, case).read_bytes()
            made_from, results = msgspec.json.decode(data, type=tuple[str, CaseResults])
        except (OSError, msgspec.DecodeError):
            return None
        return results if made_from == self._made_from(case) else None

    def keep(self, case: Case, results: CaseResults) -> None:
        """Store the results of a case for later commands, unless a backend crashed or ran out of time.

        Raises:
            OSError: the file cannot be written.
        """
        if self._folder is None or any(guard.faltered for guard in self._guards):
            return
        if (made_from := self._made_from(case)) is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        with suppress(UnicodeEncodeError):  # an id cannot be written as UTF-8
            data = msgspec.json.encode((made_from, results))
            write_whole(str(self._path(self._folder, case)), data, typed=False)

    def _path(self, folder: Path, case: Case) -> Path:
        asked = repr((os.path.abspath(case.qrels), case, self._question))
        return folder / f"{_digest([asked.encode()])}.json"

    def _made_from(self, case: Case) -> str | None:
        """A digest of all that the results depend on; None if an input is in memory or not a regular file."""
        if case.given:
            return None
        paths = [case.qrels, *case.runs, *case.recorded, case.config, case.topics]
        files = [Path(path) for path in paths if path is not None]
        with suppress(OSError):
            if all(stat.S_ISREG(file.stat().st_mode) for file in files):
                return _digest([self._software.encode(), *map(_content, files)])
        return None


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _digest(parts: Iterable[bytes]) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def _software() -> object:
    """The version of Python, the installed packages with their versions, and the state of crosscheck's
    files."""
    folders = [Path(entry) for entry in sys.path if os.path.isdir(entry)]
    packages = sorted({info.name for folder in folders for info in folder.glob("*.dist-info")})
    ours = sorted(Path(__file__).parents[1].rglob("*.py"))
    files = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in ours]
    return __version__, sys.version, platform.platform(), packages, files
