"""What small parts of reports say; ``python -m tests.report.test_outputs`` writes the kept answers anew."""

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from msgspec.structs import replace

from crosscheck.axes import axes
from crosscheck.axes.base import AxisValue, plain
from crosscheck.errors import count
from crosscheck.report import FORMATS, RenderOptions, default_path, render
from crosscheck.report.finding import Bundle, bundles, evidence, finding, section, status
from crosscheck.report.html import render as html
from crosscheck.report.json_report import load, schema
from crosscheck.report.markdown import prose
from crosscheck.report.page import Facts, Id, Page, Status, Verdict, flat, walk
from crosscheck.report.run_page import run_page, verdict
from crosscheck.report.tables import EXACT, begun, contrast, contrasts, figure, p_value, table
from crosscheck.report.text import render as text
from crosscheck.report.words import convention, visible
from crosscheck.results import Mean, identity, without_cause
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


def refused(literal: str) -> None:
    """What Python reads, but JSON does not have."""
    raise AssertionError(f"{literal} is not JSON")


def held(name: str) -> str:
    """The JSON of a document of an older version."""
    return (Path(__file__).parent / "saved" / "old" / f"{name}.json").read_text("utf-8")


_USED = (
    *(Bundle, Id, Mean, Page, RenderOptions, Verdict, begun, bundles, contrast, contrasts, count, damaged),
    *(default_path, evidence, figure, finding, flat, gate, held, identity, load, p_value, prose, refused),
    *(render, replace, rows, schema, status, summed, table, valid, visible, without_cause),
)
#: What the calls may name, beside what samples.py holds.
NAMES = vars(samples) | {one.__name__: one for one in _USED}
NAMES |= {"EXACT": EXACT, "FORMATS": FORMATS, "Status": Status, "json": json}
NAMES |= {"html": html, "text": text, "two_assessors": agreement}


@contextlib.contextmanager
def session() -> Iterator[Answer]:
    """The lines of a block are called one after the other."""
    yield expressions(dict(NAMES))


@cases(*OUTPUTS)
def test_a_part_of_a_report_says_what_was_read_and_found_good(block):
    holds(block, session)


ENUMERATED: list[tuple[str, AxisValue]] = [(a.name, plain(v)) for a in axes().values() for v in a.values]
NUMBERED: list[tuple[str, AxisValue]] = [(axis.name, 3) for axis in axes().values() if axis.numbers]


def test_every_axis_value_has_its_sentence():
    """No convention is reported as a bare setting; numbers stand in their sentence, no two share one."""
    sentences = {one: convention(*one) for one in (*ENUMERATED, *NUMBERED)}
    for (axis, value), sentence in sentences.items():
        assert " " in sentence, (axis, value)
        assert not re.search(r"=|\{n\}", sentence), (axis, value)
        assert not isinstance(value, int) or "3" in sentence, (axis, value)
    assert len({*sentences.values()}) == len(ENUMERATED) + len(NUMBERED)


if __name__ == "__main__":
    write(OUTPUTS, session)
