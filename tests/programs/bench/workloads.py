"""Generated runs and qrels, the same for the same size and seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

#: Documents of the collection, as many as MS MARCO has passages.
_COLLECTION = 8_841_823


@dataclass(frozen=True, slots=True)
class Workload:
    """A shape of input.

    Attributes:
        topics, depth: topics of a run and documents retrieved for each.
        judged: judgements per topic; less than 2 means mostly one, as in MS MARCO.
        grades: relevance levels go from 0 (1 where sparse) to this one.
        hit_share: share of the judged documents that a run retrieves.
        runs: number of runs.
        decimals: of the scores; few make ties.
    """

    name: str
    topics: int
    depth: int
    judged: float
    grades: int
    hit_share: float
    runs: int = 1
    decimals: int = 6

    def scaled(self, share: float) -> Workload:
        """The same shape with a share of the topics (of the runs, where there are several)."""
        runs = self.runs if self.runs == 1 else max(2, round(self.runs * share))
        return replace(self, runs=runs, topics=max(2, round(self.topics * share)))

    def write(self, folder: Path, seed: int = 0) -> tuple[Path, list[Path]]:
        """Write qrels and runs below ``folder``; returns their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"{self.name}-{self.topics}x{self.depth}"
        qrels = folder / f"{stem}.qrels"
        runs = [folder / f"{stem}.{i}.run" for i in range(self.runs)]
        judgements = self._judgements(seed)
        with qrels.open("w") as file:
            for topic, docs, rels in judgements:
                pairs = zip(docs.tolist(), rels.tolist(), strict=True)
                file.writelines(f"{topic} 0 {doc} {rel}\n" for doc, rel in pairs)
        for i, run in enumerate(runs, seed + 1):
            with run.open("w") as file:
                file.writelines(self._run_text(judgements, i))
        return qrels, runs

    def _judgements(self, seed: int) -> list[tuple[str, np.ndarray, np.ndarray]]:
        rng = np.random.default_rng(seed)
        sparse = self.judged < 2
        # Like MS MARCO's, the ids of sparse workloads are numbers in no order.
        numbers = np.arange(101, 101 + self.topics)
        if sparse:
            numbers = rng.choice(1_100_000, self.topics, replace=False)
        result = []
        for number in numbers.tolist():
            count = int(self.judged) + int(rng.random() < self.judged % 1)
            docs = rng.choice(_COLLECTION, count, replace=False)
            rels = np.ones(count, np.int64) if sparse else rng.integers(0, self.grades + 1, count)
            result.append((str(number), docs, rels))
        return result

    def _run_text(self, judgements: list[tuple[str, np.ndarray, np.ndarray]], seed: int) -> Iterator[str]:
        rng = np.random.default_rng(seed)
        for topic, judged, _ in judgements:
            found = judged[rng.random(len(judged)) < self.hit_share][: self.depth]
            others = rng.choice(_COLLECTION, self.depth, replace=False)
            docs = np.concatenate([found, others[~np.isin(others, judged)]])[: self.depth]
            rng.shuffle(docs)
            scores = -np.sort(-rng.gamma(4.0, 2.0, len(docs)))
            yield "".join(
                f"{topic} Q0 {doc} {rank} {score:.{self.decimals}f} bench\n"
                for rank, (doc, score) in enumerate(zip(docs.tolist(), scores.tolist(), strict=True), 1)
            )


#: W1 sparse like MS MARCO; W2 dense like a deeply judged track; W3 tiny; W4 a track's many runs against
#: one qrels; W5 ten times W1.
WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("W1", 6_980, 1_000, 1.07, 1, 0.8),
        Workload("W2", 250, 1_000, 1_250, 3, 0.336),
        Workload("W3", 50, 10, 20, 3, 0.3),
        Workload("W4", 250, 1_000, 1_250, 3, 0.336, runs=100),
        Workload("W5", 69_800, 1_000, 1.07, 1, 0.8),
    )
}
