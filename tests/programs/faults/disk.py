"""Full disks, and two commands that write the same file: old files are replaced whole or left alone.

``python -m tests.programs.faults.disk`` tries every limit of the size of files, small file systems where they
may be mounted, and lets two commands write for a minute; ``tests/cli/test_failures.py`` runs a part.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from functools import partial
from pathlib import Path

from tests.cli.command import FAST, arguments, environment, three_cases
from tests.programs.frame import Case, main

__all__ = ["two_writers", "under_a_limit"]

_ACCEPT = ("cases", *FAST, "--accept", "known", "--quiet")
#: Sizes of files in blocks of 512 bytes; the largest one here has fewer.
_MOST_BLOCKS = 64
#: Pages that the results take on a small disk, and some more.
_MOST_PAGES = 24
_REPORTS = ("crosscheck.json", "crosscheck.md")


def under_a_limit(folder: Path, blocks: int) -> bool:
    """Whether a command that may write files of so many blocks says that it could not write one."""
    folder.mkdir()
    three_cases(folder)
    _old_reports(folder)
    return _checked(folder, ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *arguments(*_ACCEPT)])


def _old_reports(folder: Path) -> None:
    (folder / "reports").mkdir()
    for name in _REPORTS:
        (folder / "reports" / name).write_text('"old"')


def _checked(folder: Path, command: list[str]) -> bool:
    """Whether the command says that it could not write a file; each one must be as before or complete."""
    config = folder / "cases" / "declared" / "case.toml"
    size = config.stat().st_size
    reports = folder / "reports"
    # Where a file may not grow, Python writes bytecode in part: every later import of it would fail.
    limited = environment() | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=folder, env=limited, capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in (0, 1, 2), done
    text = (reports / "crosscheck.json").read_text("utf-8")
    assert text == '"old"' or json.loads(text)["complete"]
    assert tomllib.loads(config.read_text("utf-8"))["expect"]
    assert config.stat().st_size >= size
    assert [path.name for path in folder.rglob(".crosscheck*")] == []
    failed = done.returncode == 2 or text == '"old"'
    assert not failed or re.search(r"crosscheck\.(json|md)|case\.toml", done.stderr), done.stderr
    return failed


def two_writers(folder: Path, seconds: float) -> int:
    """How often the report was read, each time complete, while always two commands were writing it.

    Args:
        seconds: from the first report on.
    """
    three_cases(folder)
    path = folder / "reports" / "crosscheck.json"
    running: list[subprocess.Popen[bytes]] = []
    read = 0
    begun, first = time.monotonic(), None
    while first is None or time.monotonic() < first + seconds:
        assert first or time.monotonic() < begun + 60, "no report"
        running = [process for process in running if process.poll() is None]
        while len(running) < 2:
            command = arguments("cases", *FAST, "--quiet")
            running.append(
                subprocess.Popen(command, cwd=folder, env=environment(), stdout=subprocess.DEVNULL)
            )
        if path.exists():
            first = first or time.monotonic()
            assert json.loads(path.read_bytes())["complete"]
            read += 1
    for process in running:
        process.wait(60)
    return read


def _tried(kind: str, number: int, most: int) -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "work")
        if kind == "limits of the size of files":
            failed = under_a_limit(folder, number)
        else:
            folder.mkdir()
            mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
            mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
            if mounted.returncode:
                return "not tried", f"no file system can be mounted here: {mounted.stderr.strip()}"
            try:
                failed = _on_a_full_disk(folder, number)
            finally:
                subprocess.run(["umount", str(folder)], check=True)
    right = {0: True, most - 1: False}.get(number, failed)
    return "too small" if failed else "enough", "" if failed is right else "the limit does not matter"


def _on_a_full_disk(folder: Path, pages: int) -> bool:
    """Whether a disk that is full but for so many pages is too small for a result."""
    three_cases(folder)
    _old_reports(folder)
    left = os.statvfs(folder)
    (folder / "ballast").write_bytes(bytes(left.f_bsize * (left.f_bavail - pages)))
    return _checked(folder, arguments(*_ACCEPT))


def _two_writers(seconds: float) -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as name:
        return f"read {two_writers(Path(name), seconds)} times", ""


def _cases(given: object) -> list[Case]:
    sizes = {"limits of the size of files": _MOST_BLOCKS, "pages on a full disk": _MOST_PAGES}
    cases = [
        Case(kind, f"{number} {kind}", partial(_tried, kind, number, most))
        for kind, most in sizes.items()
        for number in range(most)
    ]
    return [*cases, Case("two writers", "two commands in one folder", partial(_two_writers, 60.0))]


if __name__ == "__main__":
    sys.exit(main("tests.programs.faults.disk", __doc__, _cases))
