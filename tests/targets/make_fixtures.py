"""Writes ``fixtures/``: every file of every case, byte for byte the same each time.

python -m tests.targets.make_fixtures
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.targets.cases import (
    families,
    other,
    per_label_ranking,
    per_label_values,
    per_value,
    per_value_formulas,
    per_value_more,
    sources_rest,
    sources_s1,
    sources_s2,
    tied_scores,
)
from tests.targets.cases.spec import CaseSpec, files

__all__ = ["FIXTURES", "all_cases", "all_files"]

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
GROUPS = {
    "S1: notebook over relevance vectors": sources_s1.CASES,
    "S2: notebook beside HF evaluate's trec_eval": (*sources_s2.CASES, *tied_scores.CASES),
    "S3, S4, S5: short formulas, a metrics calculator, course notes": sources_rest.CASES,
    "One minimal case per cause": (*per_label_ranking.CASES, *per_label_values.CASES),
    "Further values of the axes": (*per_value.CASES, *per_value_formulas.CASES, *per_value_more.CASES),
    "Every family of measures": families.CASES,
    "Agreement, hostile input, refused input": other.CASES,
}
HEAD = """\
# Cases

Each folder is one case: `qrels`, one or more `run*` files, and `case.toml` with the measures, published
numbers (`[published]`) and known mismatches (`[[expect]]`). `recorded*` files hold values saved by another
tool.

All data here was written for this project. The grades and printed numbers of the first three groups come
from the five documents that the project started from: three notebooks (S1 to S3), a specification (S4) and
course notes (S5). `recorded*` files are computed by plain-Python functions under `tests/targets/` that share
no code with crosscheck. All files, including this page, are written by

    python -m tests.targets.make_fixtures

from the specifications in `tests/targets/cases/`. A test fails if a file differs from its output.
Rows of these documents without a number are not cases: S2 row 8 (two runs in one call are refused; here two
`run*` files in one folder are two comparisons), kappa, pooling and the significance tests of S5.
`label-depth` and `label-rr-cutoff` need eleven documents, because tools cut at 10, and an average precision
between 0 and 0.00001 (`value-geometric-floor`) needs hundreds. The last two groups together show every value
of every axis (`crosscheck profiles` lists the axes).
"""


def all_cases() -> tuple[CaseSpec, ...]:
    """Every case, in the order of the page."""
    return tuple(case for group in GROUPS.values() for case in group)


def all_files() -> dict[str, bytes]:
    """Contents by path inside ``fixtures/``."""
    made = {f"{case.name}/{name}": content for case in all_cases() for name, content in files(case).items()}
    return made | {"README.md": _page().encode()}


def _page() -> str:
    parts = [HEAD]
    for title, group in GROUPS.items():
        lines = [f"## {title}", "", "| case | what it shows | known mismatches |", "|---|---|---|"]
        parts.append("\n".join(lines + [_line(case) for case in group]) + "\n")
    return "\n".join(parts)


def _line(case: CaseSpec) -> str:
    causes = dict.fromkeys(
        ", ".join(expect.causes) if expect.causes else expect.outcome for expect in case.expect
    )
    return (
        f"| `{case.name}` | {case.description.replace('|', chr(92) + '|')} | {'; '.join(causes) or 'none'} |"
    )


def main() -> None:
    """Replace the folders of all cases."""
    for case in all_cases():
        shutil.rmtree(FIXTURES / case.name, ignore_errors=True)
    for path, content in all_files().items():
        target = FIXTURES / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


if __name__ == "__main__":
    main()
