"""Console blocks of Markdown pages, run as a reader runs them: ``python tests/support/pages.py PAGE...``.

The blocks of a page are one session in an empty folder: ``$ command``, and below it what it prints to
standard output. ``...`` stands for any lines. ``$ cat FILE`` shows a file that the reader writes. A command
ends with exit code 0, or with the code that a following ``$ echo $?`` shows; where nothing stands below it,
what it prints is not held. Only the standard library is imported: the programs are those on PATH, such as
an installed wheel's. ``--update PAGE...`` writes what is printed now into the pages.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: (arguments of crosscheck, folder) -> exit code, standard output and standard error
Done = tuple[int, str, str]
Crosscheck = Callable[[list[str], Path], Done]


@dataclass(frozen=True)
class Step:
    """A command of a page, the lines below it, and the exit code that it must have."""

    command: str
    shown: str
    code: int

    @property
    def arguments(self) -> list[str] | None:
        """Those of crosscheck, where the command is one call of it and nothing else."""
        words = shlex.split(self.command, comments=True)
        return words[1:] if words[0] == "crosscheck" and not {"|", ">", "&&", ";"} & {*words} else None

    def agrees(self, printed: str) -> bool:
        """Whether the lines of the page are those that were printed."""
        if not self.shown:
            return True
        pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in self.lines)
        return bool(re.fullmatch(pattern, re.sub(r" +$", "", printed, flags=re.MULTILINE)))

    @property
    def lines(self) -> list[str]:
        return self.shown.splitlines()


def steps(page: str) -> list[Step]:
    """All commands of a page, in order."""
    blocks = re.findall(r"(?ms)^```console\n(.*?)^```$", page)
    assert all(block.startswith("$ ") for block in blocks), "a console block begins with a command"
    calls = [call for block in blocks for call in re.findall(r"(?m)^\$ (.*)\n((?:(?!\$ ).*\n)*)", block)]
    followed = zip(calls, [*calls[1:], ("", "")], strict=False)
    return [
        Step(command, shown, int(code) if after == "echo $?" else 0)
        for (command, shown), (after, code) in followed
        if command != "echo $?"
    ]


def outcomes(page: str, folder: Path, crosscheck: Crosscheck | None = None) -> Iterator[tuple[Step, Done]]:
    """Each command of a page that is run in a folder, and what came of it."""
    for step in steps(page):
        words = shlex.split(step.command, comments=True)
        if words[0] == "cat" and len(words) == 2 and step.shown:
            (folder / words[1]).parent.mkdir(parents=True, exist_ok=True)
            (folder / words[1]).write_text(step.shown, "utf-8")
        elif crosscheck and step.arguments is not None:
            yield step, crosscheck(step.arguments, folder)
        else:
            call = ["bash", "-c", step.command]
            ended = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
            yield step, (ended.returncode, ended.stdout, ended.stderr)


def run(page: Path, folder: Path, crosscheck: Crosscheck | None = None) -> int:
    """Run the commands of a page, up to the first that is not as shown; how many they are."""
    done = 0
    for step, (code, out, err) in outcomes(page.read_text("utf-8"), folder, crosscheck):
        assert code == step.code, f"{page.name}: {step.command}: exit code {code}\n{out}{err}"
        assert step.agrees(out), f"{page.name}: {step.command} prints\n{out}"
        done += 1
    return done


def updated(page: str, folder: Path) -> str:
    """The page with what its commands print now, to be read before it is kept.

    As many lines as were shown, and more up to the end of a sentence. Lines with ``...`` among them, and what
    was not shown, are left.
    """
    for step, (code, out, _) in outcomes(page, folder):
        lines, kept = out.splitlines(), step.lines[:-1] if step.lines[-1:] == ["..."] else step.lines
        end = len(kept)
        while kept and 0 < end < len(lines) and lines[end - 1][-1:] not in (".", ":", "") and lines[end]:
            end += 1
        rest = "...\n" if end < len(lines) else ""
        now = "".join(f"{line.rstrip()}\n" for line in lines[:end]) + rest
        before = f"$ {step.command}\n{step.shown}"
        if kept and "..." not in kept and not step.agrees(out):
            page = page.replace(before, f"$ {step.command}\n{now}")
            before = f"$ {step.command}\n{now}"
        if code != step.code:
            page = page.replace(f"{before}$ echo $?\n{step.code}\n", before)
            page = page.replace(before, f"{before}$ echo $?\n{code}\n" if code else before)
    return page


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        with tempfile.TemporaryDirectory() as empty:
            if "--update" in sys.argv and name != "--update":
                path.write_text(updated(path.read_text("utf-8"), Path(empty)), "utf-8")
            elif name != "--update":
                print(f"{name}: {run(path, Path(empty))} commands as shown")
