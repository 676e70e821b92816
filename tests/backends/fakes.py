"""Backends that misbehave on purpose, each in one way."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from crosscheck.backends.base import Backend, Description
from crosscheck.conventions import Conventions
from crosscheck.model import Measure, MeasureValues, Qrels, Run


@dataclass
class Fake(Backend):
    """Well behaved: every query of the run has P@k, with documents in input order."""

    id: str = "fake"
    isolated: bool = True
    conventions: Conventions | None = None

    def describe(self) -> Description:
        return Description(id=self.id, version="1.0", engine="fake 1.0", available=True)

    def supports(self, measure: Measure) -> bool:
        return measure.family == "P"

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        return {
            measure: MeasureValues(self.values(qrels, run, measure), None, self.id) for measure in measures
        }

    def values(self, qrels: Qrels, run: Run, measure: Measure) -> dict[bytes, float]:
        return {topic: self.precision(qrels, run, i, measure) for i, topic in enumerate(run.topics)}

    def precision(self, qrels: Qrels, run: Run, topic: int, measure: Measure) -> float:
        assert measure.cutoff is not None
        rows = self.ranking(run, run.offsets[topic], run.offsets[topic + 1])[: measure.cutoff]
        judged = slice(*qrels.offsets[(at := qrels.topics.index(run.topics[topic])) : at + 2])
        relevant = set(qrels.docnos[judged][qrels.rels[judged] > 0].tolist())
        return sum(run.docnos[row] in relevant for row in rows) / measure.cutoff

    def ranking(self, run: Run, begin: int, end: int) -> list[int]:
        return list(range(begin, end))


class TiesAscending(Fake):
    """Orders by score; tied documents by docno, ascending."""

    def ranking(self, run: Run, begin: int, end: int) -> list[int]:
        return sorted(range(begin, end), key=lambda row: (-run.scores[row], run.docnos[row]))


class DropsAQuery(Fake):
    """Has no value for the last query."""

    def values(self, qrels: Qrels, run: Run, measure: Measure) -> dict[bytes, float]:
        found = super().values(qrels, run, measure)
        found.popitem()
        return found


class ReturnsNaN(Fake):
    """NaN for every query, and an infinite mean."""

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        values = dict.fromkeys(run.topics, math.nan)
        return {m: MeasureValues(values, -math.inf, self.id, 4, ("a note",)) for m in measures}


class Prints(Fake):
    """Writes to standard output as Python and as C code do, reads standard input, then answers."""

    def values(self, qrels: Qrels, run: Run, measure: Measure) -> dict[bytes, float]:
        print("\x00garbage" * 100_000, flush=True)
        os.write(1, b"\xff\xff\xff\xff\xff\xff\xff\xff" * 10_000)
        assert sys.stdin.read() == ""
        return super().values(qrels, run, measure)


@dataclass
class StartsSlowly(Fake):
    """Takes some seconds to be prepared, and more and more for its answers: 0, 1, 2 seconds."""

    seconds: float = 1.0
    start_seconds: float = 60.0
    asked: int = 0

    def prepare(self) -> None:
        time.sleep(self.seconds)

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        time.sleep(self.asked)
        self.asked += 1
        return super().evaluate(qrels, run, measures)


@dataclass
class FailsAt(Fake):
    """Fails when the measures asked for include one cutoff.

    Attributes:
        cutoff: the one.
        how: ``abort``, ``exit``, ``sys.exit``, ``hang`` or ``raise``.
    """

    cutoff: int = 3
    how: str = "raise"

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        if any(measure.cutoff == self.cutoff for measure in measures):
            getattr(self, "_" + self.how.replace(".", "_"))()
        return super().evaluate(qrels, run, measures)

    def _raise(self) -> None:
        raise ZeroDivisionError("topic \x1b[31m9\x07")

    def _abort(self) -> None:
        os.write(2, b"assertion \x1b[31mfailed\n")
        os.abort()

    def _exit(self) -> None:
        os._exit(7)

    def _sys_exit(self) -> None:
        sys.exit("giving up")

    def _hang(self) -> None:
        time.sleep(600)


@dataclass
class HangsWithGrandchild(Fake):
    """Starts a process that ignores everything, tells its id in a file, and hangs."""

    file: str = ""

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(self.file).write_text(f"{os.getpid()} {grandchild.pid}")
        time.sleep(600)
        return {}


@dataclass
class Lies(Fake):
    """Answers with something that is not what the protocol says: see ``LIES``."""

    about: str = ""

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Any:
        answers: dict[Any, Any] = dict(super().evaluate(qrels, run, measures))
        if self.about == "everything":
            return [0.5]
        if self.about == "one measure":
            answers[measures[0]] = 0.5
        elif self.about == "a value":
            answers[measures[0]].values[b"1"] = "0.5"
        elif self.about == "an absent value":
            answers[measures[0]].values[b"1"] = None
        elif self.about == "a topic":
            answers[measures[0]].values["1"] = 0.5
        elif self.about == "the mean":
            answers[measures[0]] = MeasureValues({b"1": 0.5}, "0.5", self.id)  # type: ignore[arg-type]
        elif self.about == "the number of measures":
            del answers[measures[0]]
        return answers


LIES = (
    "one measure",
    "a value",
    "an absent value",
    "a topic",
    "the mean",
    "the number of measures",
)


class CountsInputs(Fake):
    """Its values are how often it was given other qrels objects, and other runs, than before."""

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        seen = self.__dict__.setdefault("seen", ([], []))
        for given, before in zip((qrels, run), seen, strict=True):
            if not any(given is one for one in before):
                before.append(given)
        values = {b"qrels": len(seen[0]), b"run": len(seen[1]), b"process": os.getpid()}
        return {m: MeasureValues(dict(values), None, self.id) for m in measures}


class LeavesFiles(Fake):
    """Leaves a temporary file, says where on standard error, and crashes."""

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        handle, path = tempfile.mkstemp()
        os.write(handle, b"left over")
        os.write(2, f"<{path}>".encode())
        os.abort()


class DescribesByRaising(Fake):
    """Raises where it must not."""

    def describe(self) -> Description:
        raise RuntimeError("no idea")

    def supports(self, measure: Measure) -> bool:
        raise RuntimeError("no idea either")


@dataclass
class ByQuery(Backend):
    """P@k of each query by itself; each request is a line in ``file``: what was asked, and of which queries.

    Query ``lost`` ends the process, ``bad`` raises; ``seconds`` are slept for each query's value.
    """

    file: str
    seconds: float = 0.0
    id: str = "fake"
    isolated: bool = True
    by_query: bool = True
    conventions: Conventions | None = None

    def describe(self) -> Description:
        return Description(id=self.id, version="1.0", engine="fake 1.0", available=True)

    def supports(self, measure: Measure) -> bool:
        return measure.family == "P"

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        whole, alone = self.means(qrels, run, measures), self.values(qrels, run, measures)
        return {m: replace(whole[m], values=alone[m].values) for m in measures}

    def means(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        self._log("means", run)
        found = Fake().evaluate(qrels, run, measures)
        means = {m: math.fsum(found[m].values.values()) / len(run.topics) for m in measures}
        return {
            m: MeasureValues({}, mean, self.id, notes=(f"{len(run.topics)}",)) for m, mean in means.items()
        }

    def values(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        self._log("values", run)
        time.sleep(self.seconds * len(run.topics))
        if b"lost" in run.topics:
            os._exit(3)
        for topic in run.topics:
            if topic.startswith(b"bad"):
                raise ValueError(topic.decode())
        return {m: replace(v, mean=None) for m, v in Fake().evaluate(qrels, run, measures).items()}

    def _log(self, asked: str, run: Run) -> None:
        with open(self.file, "a") as file:
            file.write(f"{asked} {b' '.join(run.topics).decode()}\n")
