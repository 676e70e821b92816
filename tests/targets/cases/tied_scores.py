"""The story of S2: fifty queries, one of which has tied scores around rank 10."""

from __future__ import annotations

from collections.abc import Sequence

from tests.targets import s2
from tests.targets.cases.sources_s2 import by_rank, own_ndcg
from tests.targets.cases.spec import CaseSpec, Expect, Published, Recorded
from tests.targets.plain import Qrels, Row, Run
from tests.targets.rules import Judged, Table

TOPICS = range(1, 51)
DEPTH = 25
TIED_TOPIC = "14"
TIED_RANKS = range(9, 14)
#: Grades of the tied documents by rank column, and their places in ascending order of docno. Rank order
#: puts one relevant document at ranks 9 and 10, descending docnos none, ascending docnos two.
TIED_GRADES = (1, 0, 2, 0, 0)
TIED_PLACES = (1, 3, 0, 4, 2)


def _docno(topic: int, number: int) -> str:
    # 997 is prime, so that the numbers of a topic are distinct and their order says nothing about the rank.
    return f"{topic:02d}-{(37 * topic + 353 * number) % 997:03d}"


def _relevant_in_top_10(topic: int) -> int:
    """Between 0 and 6; 129 over all topics."""
    return 7 * topic % 6 + (topic % 8 == 0)


def _relevant_ranks(topic: int) -> set[int]:
    """3 is prime to 10 and 8, so that the ranks of the first factor are distinct."""
    places = 8 if str(topic) == TIED_TOPIC else 10
    top = {1 + (topic + 3 * i) % places for i in range(_relevant_in_top_10(topic))}
    return top | {14 + (topic + 5 * i) % 12 for i in range(1 + topic % 4)}


def _grades(topic: int) -> dict[int, int]:
    relevant = _relevant_ranks(topic)
    grades = {rank: 1 + (topic + rank) % 2 if rank in relevant else 0 for rank in range(1, DEPTH + 1)}
    if str(topic) == TIED_TOPIC:
        grades |= dict(zip(TIED_RANKS, TIED_GRADES, strict=True))
    return grades


def _ranking(topic: int) -> list[str]:
    docs = [_docno(topic, rank) for rank in range(1, DEPTH + 1)]
    if str(topic) == TIED_TOPIC:
        tied = slice(TIED_RANKS.start - 1, TIED_RANKS.stop - 1)
        ascending = sorted(docs[tied])
        docs[tied] = [ascending[place] for place in TIED_PLACES]
    return docs


def _score(topic: int, rank: int) -> str:
    if str(topic) == TIED_TOPIC and rank in TIED_RANKS:
        rank = TIED_RANKS.start
    return f"{20 - 0.5 * rank:.2f}"


def _qrels() -> Qrels:
    """Nonrelevant documents at every fifth rank are not judged; two relevant ones are not retrieved.

    The tied topic is judged in full, so that nothing but the ties can explain it.
    """
    qrels = {}
    for topic in TOPICS:
        docs, grades = _ranking(topic), _grades(topic)
        judged = {
            docs[rank - 1]: grade
            for rank, grade in grades.items()
            if grade or rank % 5 or str(topic) == TIED_TOPIC
        }
        qrels[str(topic)] = judged | {_docno(topic, number): 1 for number in (101, 102)}
    return qrels


def _run() -> Run:
    return {
        str(topic): [Row(doc, rank, _score(topic, rank)) for rank, doc in enumerate(_ranking(topic), start=1)]
        for topic in TOPICS
    }


def notebook(judged: Judged, lines: Sequence[Row]) -> dict[str, float]:
    """The notebook's own measures, ordered by the rank column."""
    ranking = by_rank(lines)
    relevant = {docno for docno, grade in judged.items() if grade > 0}
    return {f"P@{k}": s2.precisao_recall(ranking, relevant, k)[0] for k in (10, 20)} | {
        f"nDCG@{k}": own_ndcg(judged, lines, k, linear=True) for k in (10, 20)
    }


def _recorded(qrels: Qrels, run: Run) -> Table:
    return {topic: notebook(qrels[topic], lines) for topic, lines in run.items()}


RANKS = "query 14 has tied scores around rank 10: the notebook keeps the order of its rank column"
INPUT = "HF evaluate takes nDCG from the order of the rows, which decides the tied scores of query 14"
README = """\
# One query of fifty

Made by `tests/targets/cases/tied_scores.py`; no number in it was measured on a real collection.

The notebook ran HF evaluate's `trec_eval` and its own measures over fifty real queries. P@10 was
0.25800000000000006 against 0.26; P@20, nDCG@10 and nDCG@20 agreed. The whole difference came from
query 14, where documents around rank 10 have the same score. This case is built so that the same
happens: 129 relevant documents in the first ten of all queries under trec_eval's rule (ties by docno,
descending), 130 in the order of the rank column, and no tie anywhere but at ranks 9 to 13 of query 14.

| | P@10 | P@20 | nDCG@10, nDCG@20 |
|---|---|---|---|
| trec_eval | 0.258 | equal | its own: ties by docno, descending |
| HF evaluate | 0.258 | equal | by the order of the rows |
| notebook | 0.26 | equal | by the rank column |

How can nDCG@10 agree where P@10 does not? The two nDCG columns of the notebook agree *with each other*
because HF evaluate computes P@10 from the scores but takes nDCG from the order of the rows, and the rows
were written in rank order. Against trec_eval itself, nDCG@10 and nDCG@20 of query 14 differ for both, by
the same tied documents. Both are declared in `case.toml`.
"""

CASES = (
    CaseSpec(
        "s2-tied-scores",
        "data made to show the two printed means of P@10, 0.258 and 0.26: one query of fifty has ties",
        _qrels(),
        {"run.txt": _run()},
        ("P@10", "P@20", "nDCG@10", "nDCG@20"),
        published=Published({"P@10": 0.25800000000000006}, "S2 part 3, by HF evaluate"),
        recorded={"recorded.notebook.json": Recorded(_recorded)},
        expect=(
            *(
                Expect("recorded:recorded.notebook.json", measure, ("tie-breaking",), RANKS)
                for measure in ("P@10", "nDCG@10", "nDCG@20")
            ),
            *(Expect("hf-evaluate", measure, ("tie-breaking",), INPUT) for measure in ("nDCG@10", "nDCG@20")),
        ),
        readme=README,
    ),
)
