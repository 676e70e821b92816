"""What small parts of reports say; ``python -m tests.report.test_outputs`` writes the kept answers anew."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from msgspec.structs import replace

from crosscheck.errors import count
from crosscheck.report import RenderOptions, render
from crosscheck.report.finding import Bundle, bundles, evidence, finding, section, status
from crosscheck.report.json_report import load, schema
from crosscheck.report.markdown import prose
from crosscheck.report.page import Facts, Status, flat, walk
from crosscheck.report.run_page import run_page, verdict
from crosscheck.report.tables import EXACT, begun, contrast, contrasts, p_value
from crosscheck.results import Mean, identity
from crosscheck.studies.agreement import agreement
from crosscheck.studies.gate import gate
from tests.html import documents
from tests.report import samples
from tests.support.kept import Answer, cases, expressions, holds, write

OUTPUTS = sorted((Path(__file__).parent / "outputs").glob("*.txt"))


def damaged(kind: str, path: str, value: Any) -> str:
    """The JSON of a document with another value at a path; ``...`` takes the value away."""
    held = part = json.loads(render(documents.document(kind), "json"))
    *way, last = (int(part) if part.isdecimal() else part for part in path.split("."))
    for key in way:
        part = part[key]
    if value is ...:
        del part[last]
    else:
        part[last] = value
    return json.dumps(held)


def valid(text: str) -> bool:
    """Whether the schema of a run accepts this JSON."""
    return bool(Draft202012Validator(json.loads(schema())).is_valid(json.loads(text)))


def rows(*comparisons: Any) -> list[tuple[str, str]]:
    """The facts that the section of a bundle tells of it."""
    shown = walk(section(samples.document([*comparisons]), Bundle(comparisons), "finding-1").blocks)
    return [(name, flat(said)) for one in shown if isinstance(one, Facts) for name, said in one.rows]


def summed(*comparisons: Any, **changes: Any) -> tuple[bool, str]:
    """Whether a run is as expected, and its verdict in words."""
    document = samples.document([*comparisons], **changes)
    return run_page(document).verdict.status is Status.AGREE, flat(verdict(document))


#: What the calls may name, beside what samples.py holds.
NAMES = vars(samples) | {"EXACT": EXACT, "two_assessors": agreement}
NAMES |= {
    one.__name__: one
    for one in (
        *(
            Bundle,
            Mean,
            RenderOptions,
            begun,
            bundles,
            contrast,
            contrasts,
            count,
            damaged,
            evidence,
            finding,
        ),
        *(flat, gate, identity, load, p_value, prose, render, replace, rows, status, summed, valid),
    )
}


@contextlib.contextmanager
def session() -> Iterator[Answer]:
    """The lines of a block are called one after the other."""
    yield expressions(dict(NAMES))


@cases(*OUTPUTS)
def test_a_part_of_a_report_says_what_was_read_and_found_good(block):
    holds(block, session)


if __name__ == "__main__":
    write(OUTPUTS, session)
