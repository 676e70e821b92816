"""Claims about ids that are spelt differently."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from crosscheck.axes import ids as axis
from crosscheck.axes.ids import Ids, candidates, meet
from crosscheck.formats.grouping import identifiers

_DOCNOS = st.lists(
    st.one_of(
        st.text("aAbBkKſ\u212aéÉ01+- \ufeff", min_size=1, max_size=4).map(str.encode),
        st.binary(min_size=1, max_size=70).map(lambda text: text.replace(b"\0", b"0")),
    ),
    max_size=6,
)


@given(_DOCNOS, _DOCNOS)
@example(["É".encode()], ["é".encode()])
@example(["\ufeff1".encode()], [b"1"])
@example([b"a", b"b", b" a"], [])
@example([b"A", b"B"], [b"b"])
def test_rules_that_are_not_candidates_make_no_ids_of_documents_equal(
    run: list[bytes], qrels: list[bytes]
) -> None:
    """Whatever the letters, blanks and signs, also where they are in different chunks."""
    every = {*run, *qrels}
    meeting = {ids for ids in Ids if meet(ids.normalised, every)}
    before = axis._CHUNK
    axis._CHUNK = 2
    try:
        assert meeting <= candidates([identifiers(run), identifiers(qrels)])
    finally:
        axis._CHUNK = before


def test_ids_of_one_kind_have_no_candidates() -> None:
    """As in most collections: small or capital letters only, numbers without zeros in front."""
    for kind in ([b"clueweb09-en0000-00-1"], [b"FBIS3-1", b"LA010189-0001"], [b"10", b"7"]):
        assert candidates([identifiers(kind)]) == set()
    assert candidates([identifiers([b"d1"]), identifiers([b"D1"])]) == {Ids.CASE}
    assert candidates([identifiers([b"1", b"01"])]) == {Ids.INT}
