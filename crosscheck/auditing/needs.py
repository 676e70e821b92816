"""Requirements on the inputs of a metric that raises if they are not met."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.probes.probe import Line, Probe, Query

__all__ = ["Needs"]


class Needs(Struct, frozen=True):
    """Requirements on the inputs of a metric.

    Attributes:
        documents: number of documents that every list must have, 0 for any.
        retrieved: whether every relevant document must be retrieved.
    """

    documents: int = 0
    retrieved: bool = False

    def given(self, probe: Probe) -> Probe:
        """The input, changed to meet the requirements: unjudged documents are added to short lists, and
        judgements of relevant documents that were not retrieved are removed."""
        if self == Needs():
            return probe
        return replace(probe, queries=tuple((id, self._query(query)) for id, query in probe.queries))

    def _query(self, query: Query) -> Query:
        lines, judged = query.lines, query.judged
        if not lines:
            return query
        if self.retrieved and judged:
            found = {line.docno for line in lines}
            judged = tuple((docno, level) for docno, level in judged if level < 1 or docno in found)
            judged = judged or ((lines[0].docno, 0),)
        last, lowest = max(line.rank for line in lines), min(line.score for line in lines)
        missing = range(1, self.documents - len(lines) + 1)
        return Query(judged, (*lines, *(Line(f"more{i}", last + i, lowest - i) for i in missing)))

    @property
    def words(self) -> str:
        """A sentence on inputs that the metric often fails on and was not given; empty if there is none."""
        short = f"lists of fewer than {self.documents} documents" * bool(self.documents)
        missed = "relevant documents that were not retrieved" * self.retrieved
        failed = " and on ".join(filter(None, (short, missed)))
        return f"it often fails on {failed}, so its experiments have none" if failed else ""
