"""What the notebooks print, to the last bit: the numbers of HF evaluate, and those of their functions."""

import inspect
import math
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import pytest

import crosscheck
from crosscheck import vectors
from crosscheck.notebooks import s1, s2, s3
from tests.support.kept import REMEDY, Kept
from tests.targets import s1 as written1
from tests.targets import s2 as written2
from tests.targets import s3 as written3
from tests.test_frames import QRELS, RESULTS, TABLE


def close(value: float) -> object:
    """A notebook takes ``math.log(x, 2)``, trec_eval and this package log2: the last digit may move."""
    return pytest.approx(value, rel=0, abs=2 * math.ulp(value))


def hf(grades: list[int], *rows: tuple[object, ...]) -> tuple[float | None, float]:
    """P@5 by score, and nDCG@5 in the order of the rows; from the dicts that HF evaluate takes."""
    count = len(rows)
    qrels: dict[str, Any] = {"query": [0] * 3, "q0": ["q0"] * 3, "docid": ["doc_1", "doc_2", "doc_3"]}
    qrels["rel"] = grades
    docid, rank, score, system = map(list, zip(*rows, strict=True))
    run: dict[str, Any] = {"query": [0] * count, "q0": ["q0"] * count, "docid": docid, "rank": rank}
    run |= {"score": score, "system": system}
    by_rows = run | {"score": [*range(count, 0, -1)]}
    ndcg = crosscheck.evaluate(qrels, by_rows, ["nDCG@5"])["0"]["nDCG@5"]
    return crosscheck.evaluate(qrels, run, ["P@5"], mean=True)["P@5"], ndcg


def printed(call: Any) -> str:
    """What a call prints."""
    with redirect_stdout(StringIO()) as out:
        call()
    return out.getvalue()


#: Two frames under the notebook's names. The rank column reverses the order of the rows.
QI = {"QUERY_KEY": [1, 1, 1], "DOC_KEY": ["x", "A", "B"], "RANK": [3, 2, 1], "SCORE": [1, 2, 3]}
JI = {"QUERY_KEY": [1, 1, 1, 1], "DOC_KEY": ["A", "B", "C", "x"], "SCORE": [1, 2, 1, 0]}
NAMES: dict[str, Any] = {one.__name__: one for one in (close, hf, printed)} | {"vectors": vectors}
NAMES |= {"s1": s1, "s2": s2, "s3": s3, "array": np.array, "log3": math.log2(3), "QI": QI, "JI": JI}
EXAMPLES = Kept(__file__, ValueError, TypeError, within=(NAMES,), qi=QI, ji=JI)


@pytest.mark.parametrize("library", ["builtins.dict", "pandas.DataFrame"])
def test_values(library):
    """Under the notebooks' names and without any option; the same from dicts and from pandas."""
    module, maker = library.split(".")
    frame = getattr(pytest.importorskip(module), maker)
    found = Kept(__file__, ValueError, TypeError, within=(NAMES,), qi=frame(QI), ji=frame(JI))
    assert found.anew() == EXAMPLES.read(), REMEDY
    table = s2.metricas(frame(RESULTS), frame(QRELS), aproximacao_trec_eval=True)
    assert list(table) == ["QUERY_KEY", *TABLE]
    assert list(table["QUERY_KEY"]) == [0, 1, 2, 3]
    assert {name: [f"{value:.6g}" for value in table[name]] for name in TABLE} == TABLE


@pytest.mark.parametrize(
    ("ours", "written", "names"),
    [
        # The notebook's precision has a level as well.
        (s1, written1, {*s1.__all__} - {"precision"}),
        (s2, written2, s2.__all__),
        (s3, written3, ("average_precision", "dcg", "ndcg")),
    ],
)
def test_signatures_are_the_notebooks(ours, written, names):
    """Names, order and defaults of the arguments."""
    for name in names:
        one, other = (inspect.signature(getattr(of, name)).parameters.values() for of in (ours, written))
        assert [(p.name, p.default) for p in one] == [(p.name, p.default) for p in other], name
