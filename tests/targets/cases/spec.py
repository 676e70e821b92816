"""The specification of a case, and the text of its files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.targets.plain import Qrels, Row, Run, write_columns, write_qrels, write_run
from tests.targets.rules import Table

__all__ = ["CaseSpec", "Expect", "Published", "Recorded", "files", "from_grades", "rows"]


@dataclass(frozen=True)
class Expect:
    """A known mismatch: which candidate, on which measure, why."""

    candidate: str
    measure: str
    causes: tuple[str, ...]
    reason: str
    outcome: str = "mismatch"


@dataclass(frozen=True)
class Published:
    """Numbers that a source document printed: means over topics."""

    values: Mapping[str, float]
    source: str
    decimals: int | None = None


@dataclass(frozen=True)
class Recorded:
    """Values saved by another tool, here an independent plain-Python function.

    Attributes:
        compute: values per topic and measure from the case's own judgements and run; ``all`` holds means.
        decimals: None for JSON in full precision, else the layout of ``trec_eval -q`` with so many decimals.
        certain: the conventions that the values certainly follow; empty if the case does not say so.
        under: the one axis that makes native measures give these values (``gain=binary``); empty if the file
            is not for a value of an axis.
    """

    compute: Callable[[Qrels, Run], Table]
    decimals: int | None = None
    under: str = ""
    certain: str = ""


@dataclass(frozen=True)
class CaseSpec:
    """One folder of ``fixtures/``; ``runs`` and ``recorded`` are by file name, ``.json`` runs in columns.

    ``groups``: docno -> subtopic or group of judges, the second column of the qrels.
    """

    name: str
    description: str
    qrels: Qrels
    runs: Mapping[str, Run]
    measures: tuple[str, ...] = ()
    reference: str | None = None
    tolerance: float | None = None
    published: Published | None = None
    recorded: Mapping[str, Recorded] = field(default_factory=dict)
    expect: tuple[Expect, ...] = ()
    readme: str = ""
    strict: bool = True
    groups: Mapping[str, str] = field(default_factory=dict)


def rows(docs: str | Iterable[str], *, start: int = 1, tag: str = "run") -> list[Row]:
    """Documents in rank order with whole-number scores that fall to 1."""
    names = docs.split() if isinstance(docs, str) else list(docs)
    return [Row(doc, start + i, f"{len(names) - i}.0", tag) for i, doc in enumerate(names)]


def from_grades(
    grades: Sequence[int], unretrieved: Sequence[int] = (), *, prefix: str = "d"
) -> tuple[dict[str, int], list[Row]]:
    """Judgements and a ranking d01, d02, ... that have these grades in rank order."""
    names = [f"{prefix}{i:02d}" for i in range(1, len(grades) + len(unretrieved) + 1)]
    return dict(zip(names, [*grades, *unretrieved], strict=True)), rows(names[: len(grades)])


def files(case: CaseSpec) -> dict[str, bytes]:
    """Contents of the folder by file name."""
    made = {"qrels": write_qrels(case.qrels, case.groups), "case.toml": _config(case).encode()}
    for name, run in case.runs.items():
        made[name] = write_columns(run) if name.endswith(".json") else write_run(run)
    for name, recorded in case.recorded.items():
        (run,) = case.runs.values()
        made[name] = _saved(recorded.compute(case.qrels, run), recorded.decimals)
    if case.readme:
        made["README.md"] = case.readme.encode()
    return made


def _saved(values: Table, decimals: int | None) -> bytes:
    if decimals is None:
        return (json.dumps(values, indent=2, ensure_ascii=False) + "\n").encode()
    lines = [
        f"{measure:<22}\t{topic}\t{value:.{decimals}f}\n"
        for topic, row in values.items()
        for measure, value in row.items()
    ]
    return "".join(lines).encode("utf-8", "surrogateescape")


def _config(case: CaseSpec) -> str:
    lines = [f"description = {_text(case.description)}"]
    if case.measures:
        lines.append(f"measures = {_list(case.measures)}")
    if case.reference:
        lines.append(f"reference = {_text(case.reference)}")
    if case.tolerance is not None:
        lines.append(f"tolerance = {case.tolerance!r}")
    if not case.strict:
        lines.append("strict = false")
    if case.published:
        lines += ["", "[published]", f"source = {_text(case.published.source)}"]
        if case.published.decimals is not None:
            lines.append(f"decimals = {case.published.decimals}")
        lines += [f"{_text(name)} = {value!r}" for name, value in case.published.values.items()]
    if certain := {name: recorded.certain for name, recorded in case.recorded.items() if recorded.certain}:
        lines += ["", "[recorded]", *(f"{_text(name)} = {_text(spec)}" for name, spec in certain.items())]
    for expect in case.expect:
        lines += [
            "",
            "[[expect]]",
            f"candidate = {_text(expect.candidate)}",
            f"measure = {_text(expect.measure)}",
        ]
        if expect.outcome != "mismatch":
            lines.append(f"outcome = {_text(expect.outcome)}")
        if expect.causes:
            lines.append(f"causes = {_list(expect.causes)}")
        lines.append(f"reason = {_text(expect.reason)}")
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    # A JSON string without surrogates is a TOML basic string.
    return json.dumps(text, ensure_ascii=False)


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"
