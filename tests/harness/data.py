"""Cases for the tests of this folder: small ones by hand, larger ones at random from fixed seeds."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, exit_code, run_with
from crosscheck.results import Comparison, Document

Qrels = Mapping[str, Mapping[str, int]]
Rows = Sequence[tuple[str, str, float]]

#: Query 3 has no results, query 9 no judgements.
QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 1}, "3": {"e": 1}}
RUN = [("1", "b", 2.0), ("1", "a", 1.0), ("2", "c", 2.0), ("2", "d", 1.0), ("9", "z", 1.0)]


def write_case(folder: Path, qrels: Qrels, run: Rows, config: str = "", **more_runs: Rows) -> Path:
    """A case folder; ranks count the lines of a topic. ``more_runs`` are named ``run.NAME``."""
    folder.mkdir(parents=True)
    lines = [f"{t} 0 {doc} {rel}\n" for t, docs in qrels.items() for doc, rel in docs.items()]
    (folder / "qrels").write_text("".join(lines), "utf-8")
    for name, rows in {"run": run, **{f"run.{n}": rows for n, rows in more_runs.items()}}.items():
        (folder / name).write_text("".join(_run_lines(rows)), "utf-8")
    if config:
        (folder / "case.toml").write_text(config, "utf-8")
    return folder


def comparison(document: Document, measure: str, candidate: str, run: str = "run") -> Comparison:
    """The only comparison of a measure, a candidate (the end of its id) and a run."""
    (found,) = (
        c
        for c in document.comparisons
        if c.measure == measure and c.candidate.endswith(candidate) and c.run == run
    )
    return found


def asked(*measures: str, **settings: object) -> Settings:
    """``native`` against itself under other conventions unless told otherwise."""
    chosen = {"backends": ("native",), "reference": "native:trec_eval-10"} | settings
    return Settings(measures=measures, **chosen)  # type: ignore[arg-type]


def run(folder: Path, *measures: str, **settings: object) -> Document:
    """The cases of a folder, as :func:`asked`."""
    return run_with(find_cases([str(folder)]), asked(*measures, **settings))


def document_of(
    config: str, *measures: str, qrels: Qrels = QRELS, rows: Rows = RUN, **settings: Any
) -> Document:
    """One case with this case.toml; ``runs`` are more runs, ``recorded`` saved values, JSON has no ranks."""
    write_case(Path("c"), qrels, rows, config, **settings.pop("runs", {}))
    if recorded := settings.pop("recorded", ""):
        Path("c/recorded.json").write_text(recorded)
    if settings.pop("as_json", False):
        Path("c/run").write_text(json.dumps({topic: {doc: score} for topic, doc, score in rows}))
    return run(Path(), *measures, **settings)


def compared(config: str, *measures: str, of: str = "", **more: Any) -> str:
    """What is told of such a case, and of candidates that are called so."""
    return told(document_of(config, *measures, **more), of)


def told(document: Document, of: str = "") -> str:
    """A document in lines: exit codes, inputs, comparisons of candidates that are called so, and tools."""
    codes = [int(exit_code(document, fail_on=fail_on)) for fail_on in ("unexpected", "mismatch", "never")]
    lines = [f"exit code {codes[0]}, {codes[1]} if any mismatch fails, {codes[2]} if none does"]
    lines += [fields(one, "case", "qrels_path", "run_path") for one in document.inputs]
    sides = ("run", "measure", "candidate", "reference", "outcome")
    for c in (c for c in document.comparisons if c.candidate.startswith(of)):
        lines.append(f"{c.run} {c.measure} {c.candidate} against {c.reference}: {c.outcome}")
        version = [] if c.candidate.startswith("published") else ["candidate_engine"]
        lines.append(f"  {fields(c, *sides, 'case', 'reference_engine', 'cells', 'diagnosis', *version)}")
        lines += [f"  {fields(c.diagnosis)}"] if c.diagnosis else []
        lines += [f"  {fields(cell)}" for cell in c.cells]
    return "\n".join([*lines, *(fields(tool, "case", "run") for tool in document.tools)])


def fields(record: Struct, *without: str) -> str:
    """What a record holds, but for fields that are empty."""
    held = {name: value for name, value in structs.asdict(record).items() if name not in without}
    return ", ".join(
        f"{name} {_text(value)}"
        for name, value in held.items()
        if value or (isinstance(value, int | float) and value is not False)
    )


def _text(value: Any) -> str:
    match value:
        case float():
            return f"{value:.12g}"
        case Struct():
            return f"({fields(value)})"
        case list():
            return "; ".join(map(_text, value))
        case dict():
            return "{" + ", ".join(f"{key}: {_text(one)}" for key, one in value.items()) + "}"
    return str(value)


def _run_lines(rows: Rows) -> Iterable[str]:
    ranks: dict[str, int] = {}
    for topic, doc, score in rows:
        ranks[topic] = ranks.get(topic, 0) + 1
        yield f"{topic} Q0 {doc} {ranks[topic]} {score!r} test\n"


@dataclass(frozen=True)
class Shape:
    """The properties of a random case."""

    queries: int  # judged queries
    pool: tuple[int, int]  # smallest and largest number of judged documents
    depth: tuple[int, int]  # and of retrieved ones
    levels: tuple[int, ...]  # drawn evenly
    scores: int = 5  # number of different scores
    missing: int = 5  # every so many-th query has no results
    found: float = 0.6  # chance that a judged document may be retrieved at all
    by_score: bool = True  # whether the lines are in order of the scores


#: Few and many queries, shallow and deep lists, dense and sparse judgements, in and out of order.
SHAPES = {
    "shallow": Shape(10, (3, 12), (1, 8), (0, 0, 1, 2, 3), scores=3),
    "deep": Shape(60, (20, 60), (50, 300), (0, 0, 0, 1, 2, 3), scores=60, missing=9, found=0.3),
    "disorder": Shape(40, (2, 15), (1, 20), (-1, 0, 0, 1, 2, 4), scores=4, by_score=False),
    "sparse": Shape(30, (1, 3), (3, 12), (0, 1, 2, 3), missing=4, found=0.5),
}


def write_random(folder: Path, seed: int, shape: Shape) -> Path:
    """A case at random, the same for the same arguments."""
    draw = random.Random(seed)
    qrels: dict[str, dict[str, int]] = {}
    run: list[tuple[str, str, float]] = []
    for number in range(1, shape.queries + 1):
        size, depth = draw.randint(*shape.pool), draw.randint(*shape.depth)
        docs = [f"d{i:04}" for i in draw.sample(range(9999), size + depth)]
        qrels[str(number)] = {doc: draw.choice(shape.levels) for doc in docs[:size]}
        if max(qrels[str(number)].values()) < 0:  # undefined in trec_eval
            qrels[str(number)][docs[0]] = 0
        candidates = [doc for doc in docs[:size] if draw.random() < shape.found] + docs[size:]
        retrieved = draw.sample(candidates, depth)
        scores = [float(draw.randrange(shape.scores)) for _ in retrieved]
        if shape.by_score:
            scores.sort(reverse=True)
        if number % shape.missing:
            run += [(str(number), doc, score) for doc, score in zip(retrieved, scores, strict=True)]
    return write_case(folder, qrels, run)
