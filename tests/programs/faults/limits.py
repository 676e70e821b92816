"""Commands under limits of memory and of the size of files, and two that write the same file.

``python -m tests.programs.faults.limits`` tries 20 to 400 MB, and every size of files, and lets two commands
write for a minute; ``tests/cli/test_failures.py`` tries a few.
"""

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
from tests.programs.faults.trial import METRIC
from tests.programs.frame import Case, main

COMMANDS = (
    "evaluate q r -m AP",
    "trec_eval q r",
    "ties q r",
    "compare q r r2 -m AP",
    "impact q r r2 -m nDCG@10 --candidate native:gain=exponential",
    "why q r AP=0.2131",
    "pool r --depth 2",
    "--qrels q --run r -m AP -b native --quiet --report text=-",
    "audit python:m.py:num_ret -m NumRet --quiet",
)
#: In blocks of 512 bytes: the largest file here has fewer.
_MOST_BLOCKS = 64


def fill(folder: Path) -> None:
    """Judgements and results of a few megabytes as arrays, and a metric."""
    (folder / "q").write_text("".join(f"{t} 0 d{d} 1\n" for t in range(50) for d in range(40)))
    (folder / "r").write_text("".join(f"{t} Q0 d{d} 0 {d} t\n" for t in range(50) for d in range(400)))
    (folder / "r2").write_text("".join(f"{t} Q0 d{d} 0 {d % 7} t\n" for t in range(50) for d in range(400)))
    (folder / "m.py").write_text(METRIC)


def _limited(folder: Path, limit: str, command: list[str], **variables: str) -> tuple[int, str]:
    """Exit code, stdout and stderr of a command under a limit of the shell; never a traceback."""
    done = subprocess.run(
        ["sh", "-c", f'ulimit {limit}; exec "$@"', "sh", *command], cwd=folder, env=environment(**variables),
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, (command, limit, done.stderr)
    return done.returncode, done.stdout + done.stderr


def little_memory(folder: Path, command: str, megabytes: int) -> int:
    """Its exit code, 0 or 3; with 3 it says that memory ran out, or that there is none for a thread."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    command_line = arguments(*command.split())
    code, said = _limited(folder, f"-v {megabytes << 10}", command_line, TMPDIR=str(temporary))
    assert code == 0 or (code == 3 and ("memory ran out" in said or "new thread" in said)), (command, said)
    assert os.listdir(temporary) == []
    return code


def files_are_old_or_new(folder: Path, blocks: int) -> bool:
    """Whether a command that may write files of so many blocks says that it could not write one; each one
    must be as before or complete."""
    folder.mkdir()
    three_cases(folder)
    reports, config = folder / "reports", folder / "cases" / "declared" / "case.toml"
    size = config.stat().st_size
    reports.mkdir()
    for name in ("crosscheck.json", "crosscheck.md"):
        (reports / name).write_text('"old"')
    # Where a file may not grow, Python writes bytecode in part: every later import of it would fail.
    command = arguments("cases", *FAST, "--accept", "known", "--quiet")
    code, said = _limited(folder, f"-f {blocks}", command, PYTHONDONTWRITEBYTECODE="1")
    assert code in (0, 1, 2), said
    text = (reports / "crosscheck.json").read_text("utf-8")
    assert text == '"old"' or json.loads(text)["complete"]
    assert tomllib.loads(config.read_text("utf-8"))["expect"]
    assert config.stat().st_size >= size
    assert [path.name for path in folder.rglob(".crosscheck*")] == []
    failed = code == 2 or text == '"old"'
    assert not failed or re.search(r"crosscheck\.(json|md)|case\.toml", said), said
    return failed


def two_writers(folder: Path, seconds: float) -> int:
    """How often the report was read, each time complete, while always two commands were writing it, for so
    many seconds from the first report on."""
    three_cases(folder)
    path = folder / "reports" / "crosscheck.json"
    running: list[subprocess.Popen[bytes]] = []
    read = 0
    begun, first = time.monotonic(), None
    while first is None or time.monotonic() < first + seconds:
        assert first or time.monotonic() < begun + 60, "no report"
        running = [process for process in running if process.poll() is None]
        while len(running) < 2:
            command, quiet = arguments("cases", *FAST, "--quiet"), subprocess.DEVNULL
            running.append(subprocess.Popen(command, cwd=folder, env=environment(), stdout=quiet))
        if path.exists():
            first = first or time.monotonic()
            assert json.loads(path.read_bytes())["complete"]
            read += 1
    for process in running:
        process.wait(60)
    return read


def _tried(kind: str, number: int) -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if kind == "two writers":
            return f"read {two_writers(folder, number)} times", ""
        if kind == "size of files":
            failed = files_are_old_or_new(folder / "work", number)
            right = {0: True, _MOST_BLOCKS: False}.get(number, failed)
            return "too small" if failed else "enough", "" if failed is right else "the limit does not matter"
        fill(folder)
        code = little_memory(folder, kind, number)
        return f"code {code}", "400 MB are not enough" if code and number == 400 else ""


def _cases(given: object) -> list[Case]:
    numbers = {
        **{command: [*range(20, 300, 5), 400] for command in COMMANDS},
        "size of files": range(_MOST_BLOCKS + 1),
        "two writers": [60],
    }
    return [Case(kind, f"{kind}: {n}", partial(_tried, kind, n)) for kind, of in numbers.items() for n in of]


if __name__ == "__main__":
    sys.exit(main("tests.programs.faults.limits", __doc__, _cases))
