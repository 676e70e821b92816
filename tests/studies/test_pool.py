"""Claims about crosscheck.studies.pool: contributions, unjudged rates and the pool file."""

from crosscheck.formats.trec import read_qrels
from crosscheck.studies.pool import pool
from tests.studies.examples import ranked

RUNS = {
    "a": {"1": ranked("d1", "d2", "d3"), "2": ranked("e1", "e2")},
    "b": {"1": ranked("d2", "d4", "d1"), "2": ranked("e1", "e3")},
}
QRELS = {"1": {"d1": 2, "d2": 0}, "2": {"e1": 1}}


def test_contributions_and_unjudged_documents_are_counted():
    """Depth 2: topic 1 pools d1 d2 d4, topic 2 pools e1 e2 e3; d1, e2 come from a alone. With qrels, d4 and
    e3 of b have no judgement: a rate of one half."""
    document = pool(RUNS, 2)
    assert [(m.run, m.contributed, m.unique) for m in document.members] == [("a", 4, 2), ("b", 4, 2)]
    assert [(t.topic, t.documents, t.unjudged) for t in document.topics] == [("1", 3, None), ("2", 3, None)]
    assert "a pool of 6 documents on 2 topics" in document.summary
    assert "2 of them come from more than one run." in document.summary
    document = pool(RUNS, 2, qrels=QRELS)
    assert {rate.run: rate.mean for rate in document.unjudged} == {"a": 0.25, "b": 0.5}
    assert [t.unjudged for t in document.topics] == [1, 2]
    assert "Of the first 2 documents of 'b' 50.0% are not judged, the most of any run." in document.summary


def test_a_pool_needs_no_qrels(tmp_path):
    """And has no note on qrels then."""
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n2 Q0 b 1 2 t\n")
    found = pool([str(tmp_path / "run")], 2).notes
    assert found == ["The pool comes from one run: all its documents are unique contributions."]


def test_the_pool_file_is_qrels_with_what_is_left_to_judge(tmp_path):
    """Every pooled document is in the file, with its level or -1, and the file can be read as qrels."""
    path = tmp_path / "pool"
    document = pool(RUNS, 2, qrels=QRELS, file=str(path))
    assert document.file == str(path)
    assert path.read_text() == "1 0 d1 2\n1 0 d2 0\n1 0 d4 -1\n2 0 e1 1\n2 0 e2 -1\n2 0 e3 -1\n"
    assert read_qrels(str(path)).rels.tolist() == [2, 0, -1, 1, -1, -1]
