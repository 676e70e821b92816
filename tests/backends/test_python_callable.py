"""Claims about a user's own function as a backend."""

from pathlib import Path

from crosscheck import names
from crosscheck.backends import make
from crosscheck.backends.guarded import Guarded
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from tests.backends.inputs import qrels_of, run_of, told
from tests.support.kept import examples

QRELS = qrels_of({"1": {"a": 1, "b": 0}, "2": {"a": 2}})
RUN = run_of({"1": {"a": 2.0, "b": 1.0}, "3": {"a": 1.0}})
P5, P10 = Measure("P", 5), Measure("P", 10)


def here(code: str, function: str, asked: str) -> str:
    """Values of a function in a file, called in this process; a module lies beside it."""
    Path("beside.py").write_text("RELEVANT = 1\n")
    Path("my metrics.py").write_text(code)
    id = f"python:my metrics.py:{function}"
    found = make(id).evaluate(QRELS, RUN, [parse_measure(name) for name in asked.split()])
    assert {answer.engine for answer in found.values()} == {id}
    return told(found)


def named(code: str, function: str, asked: str) -> str:
    """Values of a function that is not told the measure, or why it does not have it."""
    Path("m.py").write_text(code)
    measures = [parse_measure(name) for name in asked.split()]
    with Guarded(make(f"python:m.py:{function}")) as backend:
        lacking = [f"{m}: {backend.lacks(m)}" for m in measures if not backend.supports(m)]
        answers = backend.evaluate(QRELS, RUN, [m for m in measures if backend.supports(m)])
    return "\n".join([*filter(None, [told(answers)]), *lacking])


def in_folder(target: str, code: str) -> str:
    """Whether a function of a module in the working directory is available, and its values."""
    path = Path(target.partition(":")[0].replace(".", "/")).with_suffix(".py")
    path.parent.mkdir(exist_ok=True)
    path.write_text(code)
    with Guarded(make(f"python:{target}")) as backend:
        available = "available" if backend.describe().available else "not available"
        return f"{available}; {told(backend.evaluate(QRELS, RUN, [P5]))}"


def spelt(parameters: str, name: str, spelling: str, other: str) -> str:
    """P@5 and P@10 of a function that knows these names alone, and does something else with others."""
    known = {spelling.replace("{k}", str(k)) + str(k) * ("{k}" not in spelling): k for k in (5, 10)}
    Path("m.py").write_text(
        f"def f(qrels, run, {parameters}):\n"
        f"    k = {known}.get({name})\n"
        f"    if k is None: {other}\n"
        "    hits = {q: [qrels[q].get(d, 0) > 0 for d in run[q]] for q in run if q in qrels}\n"
        "    return {q: sum(hits[q][:k]) / k for q in hits}\n"
    )
    found = make("python:m.py:f").evaluate(QRELS, RUN, [P5, P10])
    return f"{found[P5].values}, {found[P10].values}"


#: Values of a user's function by measure and query, or the function, the query and what was found.
test_examples = examples(globals(), str, names)
