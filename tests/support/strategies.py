"""Hypothesis strategies for runs and qrels that provoke every disagreement: ties, negatives, gaps."""

from hypothesis import strategies as st

QrelsDict = dict[str, dict[str, int]]
RunDict = dict[str, dict[str, float]]

#: Equal scores, scores equal in float32 only, infinities, and both zeros.
_SCORES = st.sampled_from([1.0, 1.0 + 1e-9, 2.0, 0.5, -0.0, 0.0, -3.25, 1e39, 2e39, 0.1, 0.1 + 1e-12])
_DOCNOS = [f"d{i}" for i in range(12)] + ["D1", "é", "z" * 70, "10", "9", "09", "-9", "-10"]
_TOPICS = ["1", "2", "10", "a", "B"]


@st.composite
def qrels_and_run(
    draw: st.DrawFn, levels: tuple[int, ...] = (-1, 0, 0, 1, 2, 3)
) -> tuple[QrelsDict, RunDict]:
    """Qrels and a run that share at least one topic; every topic has a judgement of at least 0.

    (A topic whose judgements are all negative is undefined behaviour in trec_eval.)
    """
    topics = draw(st.lists(st.sampled_from(_TOPICS), min_size=1, max_size=4, unique=True))
    shared = draw(st.lists(st.sampled_from(topics), min_size=1, unique=True))
    extra = draw(st.lists(st.sampled_from([t for t in _TOPICS if t not in topics] or ["x"]), max_size=1))
    docnos = st.lists(st.sampled_from(_DOCNOS), min_size=1, max_size=10, unique=True)
    qrels: QrelsDict = {}
    for topic in topics:
        qrels[topic] = {d: draw(st.sampled_from(levels)) for d in draw(docnos)}
        if max(qrels[topic].values()) < 0:
            qrels[topic][next(iter(qrels[topic]))] = 0
    run = {topic: {d: draw(_SCORES) for d in draw(docnos)} for topic in [*shared, *extra]}
    return qrels, run
