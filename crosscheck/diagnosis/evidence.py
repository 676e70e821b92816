"""Evidence a reader can check by hand: the documents that change places between two orderings."""

from __future__ import annotations

from crosscheck.conventions import Conventions
from crosscheck.evaluation.order import topic_order
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.model import display
from crosscheck.results import TiedDocument, number

__all__ = ["moved_documents"]


def moved_documents(
    situation: Recomputer, topic: int, candidate: Conventions, limit: int = 6
) -> list[TiedDocument]:
    """Documents of one measured topic whose rank differs between the base and other conventions.

    Those that cross the measure's cutoff come first, then relevant ones, then by rank.
    """
    pairing = situation.rankings.pairing
    before = topic_order(pairing, topic, situation.conventions)
    after = {row: rank for rank, row in enumerate(topic_order(pairing, topic, candidate), 1)}
    mine = pairing.topic == topic
    rels = dict(zip(pairing.rows[mine].tolist(), pairing.rels[mine].tolist(), strict=True))
    cutoff = situation.measure.cutoff or 0
    moved: list[tuple[tuple[bool, int, int], TiedDocument]] = []
    for rank, row in enumerate(before, 1):
        if after[row] != rank:
            document = TiedDocument(
                docno=display(bytes(pairing.run.docnos[row])),
                score=number(float(pairing.run.scores[row])),
                rel=rels.get(row),
                reference_rank=rank,
                candidate_rank=after[row],
            )
            crosses = (rank <= cutoff) != (after[row] <= cutoff)
            moved.append(((not crosses, -max(rels.get(row, 0), 0), rank), document))
    moved.sort(key=lambda item: item[0])
    return sorted((document for _, document in moved[:limit]), key=lambda d: d.reference_rank)
