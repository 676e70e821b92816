"""Ids of a run and its qrels that look alike and are different ids, because bytes are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from crosscheck.axes.ids import Ids
from crosscheck.errors import quoted
from crosscheck.formats.source import BOM
from crosscheck.model import Table

__all__ = ["Alike", "alike", "alike_in_dicts", "is_padded", "spelling_notes"]

#: How ids differ that look alike.
_WAYS = {Ids.STRIP: "blanks around it", Ids.CASE: "letter case", Ids.INT: "leading zeros or a sign"}
#: Documents that are looked at where each costs time: of a larger run these are not all.
_WALKED = 1 << 12


class Alike(NamedTuple):
    """An id of a run, and the id of the qrels that it looks like."""

    retrieved: bytes
    judged: bytes


def alike(pairs: Iterable[tuple[bytes, bytes]]) -> Alike | None:
    """The first of some pairs (id of a run, id of the qrels) that look alike; None if there is none."""
    return next((Alike(*pair) for pair in pairs if _loose(pair[0]) == _loose(pair[1])), None)


def alike_in_dicts(
    judged: Sequence[Mapping[str, object]], retrieved: Sequence[Mapping[str, object]]
) -> Alike | None:
    """A retrieved document that looks like a judged one of its topic that was not retrieved.

    Args:
        judged, retrieved: documents of each topic; of a large run only some are looked at.
    """
    step = 1 + sum(map(len, retrieved)) // _WALKED
    return alike(_pairs_of_dicts(judged[::step], retrieved[::step]))


def _pairs_of_dicts(
    judged: Sequence[Mapping[str, object]], retrieved: Sequence[Mapping[str, object]]
) -> Iterator[tuple[bytes, bytes]]:
    for known, found in zip(judged, retrieved, strict=True):
        missing, some = [docno for docno in known if docno not in found], list(islice(found, _WALKED))
        spelt, forms = dict(zip(_folded(missing), missing, strict=True)), _folded(some)
        if not spelt.keys().isdisjoint(forms):
            pairs = zip(some, map(spelt.get, forms), strict=True)
            yield from ((_bytes(a), _bytes(b)) for a, b in pairs if b is not None and a not in known)


def _folded(docnos: Sequence[str]) -> list[str]:
    """Ids in lower case and without blanks around them, made of one text because this is fastest."""
    text = "\0".join(docnos).lower()
    ids = text.split("\0") if docnos else []
    return ids if text.split(maxsplit=1) in ([], [text]) else [id.strip() for id in ids]


def _bytes(docno: str) -> bytes:
    return docno.encode("utf-8", "surrogatepass")


def is_padded(table: Table) -> bool:
    """Whether docnos begin with a blank; in a large table, that of the first document of a topic.

    No such docno can stand in a file of lines, so it is one of a dict or a frame, where most are like it.
    """
    docnos = table.docnos if len(table.docnos) <= _WALKED else table.docnos[table.offsets[:-1]]
    return bool((docnos.astype("S1") <= b" ").any())


def spelling_notes(
    run: str, run_topics: Sequence[bytes], qrels: str, qrels_topics: Sequence[bytes], docnos: Alike | None
) -> tuple[str, ...]:
    """Sentences about topics that begin with a byte order mark, and about ids that look alike.

    Args:
        run, qrels: their names.
        docnos: a document of the run that looks like a judged one.
    """
    known, found = set(qrels_topics), set(run_topics)
    missing = {_loose(topic): topic for topic in qrels_topics if topic not in found}
    beside = [topic for topic in run_topics if topic not in known] if missing else []
    topics = alike((topic, missing.get(_loose(topic), b"")) for topic in beside if not _marked(topic))
    notes = [
        f"{_name(name)}: topic {quoted(topic)} begins with a byte order mark, which is a part of the id"
        for name, each in ((qrels, qrels_topics), (run, run_topics))
        for topic in each
        if _marked(topic)
    ]
    for one, noun in (topics, "topics"), (docnos, "documents"):
        if one is not None and not _marked(one.judged):
            way = next((words for ids, words in _WAYS.items() if _same(ids, one)), "letter case and blanks")
            notes.append(
                f"{noun} of {_name(run)} are not found in {_name(qrels)} for the spelling alone, such as "
                f"{quoted(one.retrieved)}, which differs from {quoted(one.judged)} in {way}"
            )
    return tuple(notes)


def _loose(id: bytes) -> bytes:
    """The form that ids have in common if they look alike."""
    for ids in _WAYS:
        id = ids.normalised(id)
    return id


def _same(ids: Ids, one: Alike) -> bool:
    return ids.normalised(one.retrieved) == ids.normalised(one.judged)


def _marked(topic: bytes) -> bool:
    return topic.startswith(BOM)


def _name(source: str) -> str:
    return quoted(source, 4096)[1:-1]
