"""Backends that misbehave on purpose, each in one way."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from crosscheck.backends.base import Backend, Description
from crosscheck.backends.texts import topic_rows
from crosscheck.conventions import Conventions
from crosscheck.model import Measure, MeasureValues, Qrels, Run

Answers = dict[Measure, MeasureValues]


@dataclass
class Fake(Backend):
    """Well behaved: the value of a query depends on all its rows and their order, and on nothing else."""

    id: str = "fake"
    isolated: bool = True
    conventions: Conventions | None = None

    def describe(self) -> Description:
        return Description(id=self.id, version="1.0", engine="fake 1.0", available=True)

    def supports(self, measure: Measure) -> bool:
        return measure.family == "P"

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Answers:
        judged, values = dict(topic_rows(qrels)), dict[bytes, str]()
        for topic, rows in topic_rows(run):
            of = judged.get(topic, slice(0))
            columns = (run.docnos[rows], run.scores[rows], qrels.docnos[of], qrels.rels[of])
            values[topic] = repr([column.tolist() for column in columns])

        def number(text: str) -> float:
            return zlib.crc32(text.encode()) / 2**32

        return {
            m: MeasureValues({topic: number(f"{m} {text}") for topic, text in values.items()}, None, self.id)
            for m in measures
        }


class ReturnsNaN(Fake):
    """NaN for every query, and an infinite mean."""

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Answers:
        values = dict.fromkeys(run.topics, math.nan)
        return {m: MeasureValues(values, -math.inf, self.id, 4, ("a note",)) for m in measures}


class Prints(Fake):
    """Writes to standard output as Python and as C code do, reads standard input, then answers."""

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Answers:
        print("\x00garbage" * 100_000, flush=True)
        os.write(1, b"\xff\xff\xff\xff\xff\xff\xff\xff" * 10_000)
        assert sys.stdin.read() == ""
        return super().evaluate(qrels, run, measures)


@dataclass
class StartsSlowly(Fake):
    """Takes some seconds to be prepared, answers once, and then hangs."""

    seconds: float = 1.7
    start_seconds: float = 60.0

    def prepare(self) -> None:
        time.sleep(self.seconds)

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Answers:
        time.sleep(self.__dict__.get("hangs", 0))
        self.__dict__["hangs"] = 600
        return super().evaluate(qrels, run, measures)


class NeverSays(Fake):
    """Does not answer what it supports."""

    greets = True

    def supports(self, measure: Measure) -> bool:
        time.sleep(600)
        return True


def hangs_with_a_grandchild(file: str) -> None:
    """It starts a process that ignores everything, and tells both ids in a file."""
    grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(file).write_text(f"{os.getpid()} {grandchild.pid}")
    time.sleep(600)


@dataclass
class FailsAt(Fake):
    """Runs code when the measures asked for include one cutoff."""

    code: str = ""
    cutoff: int = 3

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Answers:
        if any(measure.cutoff == self.cutoff for measure in measures):
            exec(self.code)
        return super().evaluate(qrels, run, measures)


@dataclass
class Lies(Fake):
    """Answers with an expression of the right answers ``a`` and the first measure ``m``, which is not what
    the protocol says."""

    said: str = ""

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Any:
        a = super().evaluate(qrels, run, measures)
        return eval(self.said, globals(), {"a": a, "m": measures[0], "of": _answer})


def _answer(values: Any, mean: Any = None) -> MeasureValues:
    return MeasureValues(values, mean, "")


class CountsInputs(Fake):
    """Its values are how often it was given other qrels objects, and other runs, than before."""

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Answers:
        seen = self.__dict__.setdefault("seen", ([], []))
        for given, before in zip((qrels, run), seen, strict=True):
            if not any(given is one for one in before):
                before.append(given)
        values = {b"qrels": len(seen[0]), b"run": len(seen[1]), b"process": os.getpid()}
        return {m: MeasureValues(dict(values), None, self.id) for m in measures}


class DescribesByRaising(Fake):
    """Raises where it must not."""

    def describe(self) -> Description:
        raise RuntimeError("no idea")

    def supports(self, measure: Measure) -> bool:
        raise RuntimeError("no idea either")


@dataclass
class ByQuery(Fake):
    """Each query by itself; each request is a line in ``file``: what was asked, and of which queries.

    Query ``lost`` ends the process, ``bad`` raises; ``seconds`` are slept for each query's value.
    """

    file: str = ""
    seconds: float = 0.0
    by_query: bool = True

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Answers:
        whole, alone = self.means(qrels, run, measures), self.values(qrels, run, measures)
        return {m: replace(mean, values=alone[m].values) for m, mean in whole.items()}

    def means(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Answers:
        self._log("means", run)
        sums = {m: math.fsum(v.values.values()) for m, v in super().evaluate(qrels, run, measures).items()}
        return {m: MeasureValues({}, total, self.id, notes=(str(run.topics),)) for m, total in sums.items()}

    def values(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Answers:
        self._log("values", run)
        time.sleep(self.seconds * len(run.topics))
        if b"lost" in run.topics:
            os._exit(3)
        for topic in run.topics:
            if topic.startswith(b"bad"):
                raise ValueError(topic.decode())
        return super().evaluate(qrels, run, measures)

    def _log(self, asked: str, run: Run) -> None:
        with open(self.file, "a") as file:
            file.write(f"{asked} {b' '.join(run.topics).decode()}\n")
