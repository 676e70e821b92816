"""Writes what is computed in ``fixtures/``: recorded values of the oracle, and the page of all cases.

    python -m tests.programs.fixtures

A case is written by hand: qrels, runs and ``case.toml``. Recorded files that no row names are a tool's own.
``tests/test_fixtures.py`` says when they are old.
"""

import json
from pathlib import Path

from tests.support.cases import FIXTURES, Case, cases, saved_values
from tests.support.oracle import Oracle, changes_of

#: The cases that show a value of an axis, other recorded files that the oracle computes, and groups of cases.
VALUES_OF_AXES, OTHERS, _GROUPS = Path(__file__).with_suffix(".txt").read_text("utf-8").split("\n\n")
#: Axes that leave the values of queries as they are: the mean is recorded beside them.
_OF_MEANS = {"averaging", "query_set", "unjudged_queries"}


def rows(table: str) -> list[tuple[Case, Path, str]]:
    """Case, recorded file and setting: a line of a table is a case and its settings, each behind the name of
    its recorded file where there are several."""
    found = []
    for name, *settings in map(str.split, table.splitlines()):
        for file, _, setting in (one.rpartition(":") for one in settings or [""]):
            (path,) = Case(name).folder.glob(f"recorded.{file or 'tool'}.*")
            found.append((Case(name), path, setting))
    return found


def _computed(case: Case, path: Path, setting: str) -> bytes:
    """The content of a recorded file, of the measures that it holds."""
    before, decimals = saved_values(path)
    changes, (run,) = changes_of(setting), case.runs
    table: dict[str, dict[str, float | None]] = {}
    means: dict[str, float | None] = {}
    for measure in next(iter(before.values())):
        values, means[measure] = Oracle(changes).evaluate(*case.read(run), measure)
        for topic, value in values.items():
            table.setdefault(topic, {})[measure] = value
    if _OF_MEANS & changes.keys():
        table["all"] = means
    if decimals is None:
        return (json.dumps(table, indent=2, ensure_ascii=False) + "\n").encode()
    lines = (f"{m:<22}\t{t}\t{v:.{decimals}f}\n" for t, row in table.items() for m, v in row.items())
    return "".join(lines).encode("utf-8", "surrogateescape")


def _page() -> bytes:
    """README.md: its head as it is, and a table of each group of cases."""
    head, _, _ = (FIXTURES / "README.md").read_text("utf-8").partition("\n## ")
    parts = [head]
    for title, prefixes in (line.split(" => ") for line in _GROUPS.splitlines()):
        lines = [f"## {title}", "", "| case | what it shows | known mismatches |", "|---|---|---|"]
        lines += [_line(case) for case in cases() if case.name.startswith(tuple(prefixes.split()))]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts).encode()


def _line(case: Case) -> str:
    causes = dict.fromkeys(", ".join(e.get("causes", [])) or e["outcome"] for e in case.expect)
    description = case.description.replace("|", "\\|")
    return f"| `{case.name}` | {description} | {'; '.join(causes) or 'none'} |"


def all_files() -> dict[Path, bytes]:
    """Contents of all that is computed."""
    made = {
        path: _computed(case, path, setting) for case, path, setting in rows(f"{VALUES_OF_AXES}\n{OTHERS}")
    }
    return made | {FIXTURES / "README.md": _page()}


if __name__ == "__main__":
    for path, content in all_files().items():
        if path.read_bytes() != content:
            path.write_bytes(content)
            print(f"{path.relative_to(FIXTURES.parent)} written")
