"""Small qrels and runs for the tests of this folder, and answers as text; ids are encoded as Latin-1."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from crosscheck.backends.outcomes import Answer
from crosscheck.formats.dicts import qrels_from_dict, run_from_columns, run_from_dict
from crosscheck.model import Measure, MeasureValues, Needs, Qrels, Run


def qrels_of(judgements: Mapping[str, Mapping[str, Any]], needs: Needs = "levels") -> Qrels:
    """Judgements from {topic: {docno: level}}, or as deep as it needs."""
    return qrels_from_dict(_encoded(judgements), needs=needs)


def run_of(results: Mapping[str, Mapping[str, float]]) -> Run:
    """A run from {topic: {docno: score}}: input order is that of the mapping, no rank column."""
    return replace(run_from_dict(_encoded(results)), tag=b"test")


def run_of_rows(rows: Sequence[tuple[str, str, float]], ranks: Sequence[int] | None = None) -> Run:
    """A run from its lines in input order; topics may be interleaved."""
    columns = dict(zip(("query", "docid", "score"), map(list, zip(*rows, strict=True)), strict=True))
    more = {} if ranks is None else {"rank": list(ranks)}
    return run_from_columns(columns | more | {"system": ["test"] * len(rows)})


def _encoded(table: Any) -> Any:
    if not isinstance(table, Mapping):
        return table
    return {id.encode("latin-1"): _encoded(of) for id, of in table.items()}


def number(value: float | None) -> str:
    """To twelve digits; other numbers than floats of Python have their type."""
    return f"{value:.12g}" if type(value) is float else repr(value)


def told(answers: Mapping[Measure, Answer]) -> str:
    """Values and mean of each measure, or its error without the place in code of others."""
    lines = []
    for measure, answer in answers.items():
        if isinstance(answer, MeasureValues):
            values = [f"{topic!r}: {number(value)}" for topic, value in sorted(answer.values.items())]
            decimals = f", {answer.decimals} decimals" if answer.decimals else ""
            said = f"{{{', '.join(values)}}}, mean {number(answer.mean)}{decimals}"
            said += "".join(f"\n  note: {note}" for note in answer.notes)
        else:
            said = re.sub(r" \((\w+\.py:\d+ in \w+|<string>:\d+ in <module>)\)", "", str(answer))
        lines.append(f"{measure}: {said}")
    return "\n".join(lines)
