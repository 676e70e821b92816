"""Claims about saved values as a backend."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from crosscheck.backends import make
from crosscheck.backends.recorded import RecordedValues
from crosscheck.errors import BackendError
from crosscheck.model import Measure
from tests.backends.inputs import qrels_of, run_of

QRELS, RUN = qrels_of({"1": {"a": 1}}), run_of({"1": {"a": 1.0}})
TEXT = (
    "map \t1\t0.2500\nP_5 \t1\t0.4000\nnum_ret \t1\t7\nfoo \t1\t0.1000\nmap \tall\t0.3000\nrunid \tall\tx\n"
)


def saved(tmp_path: Path, text: str, name: str = "saved") -> RecordedValues:
    path = tmp_path / name
    path.write_text(text)
    backend = make(f"recorded:{path}")
    assert isinstance(backend, RecordedValues)
    return backend


def test_saved_output_is_given_back_under_canonical_names(tmp_path: Path) -> None:
    """Values, mean and decimals are those of the file, whatever spelling it uses."""
    backend = saved(tmp_path, TEXT)
    found = backend.evaluate(QRELS, RUN, [Measure("AP"), Measure("P", 5), Measure("NumRet")])
    assert found[Measure("AP")].values == {b"1": 0.25}
    assert (found[Measure("AP")].mean, found[Measure("P", 5)].mean) == (0.3, None)
    assert found[Measure("AP")].decimals == 4
    assert found[Measure("NumRet")].values == {b"1": 7.0}
    assert found[Measure("NumRet")].decimals is None
    assert found[Measure("AP")].engine == "recorded in saved"


def test_only_what_the_file_holds_is_supported(tmp_path: Path) -> None:
    """A measure that is not in the file, and an unknown name, are not offered."""
    backend = saved(tmp_path, TEXT)
    assert backend.supports(Measure("AP"))
    assert not backend.supports(Measure("P", 10))
    assert not backend.supports(Measure("AP", rel=2))
    assert not backend.supports(Measure("foo"))


def test_json_keeps_nan_apart_from_absence(tmp_path: Path) -> None:
    """A query without a value stays without one, NaN stays NaN, nothing is rounded."""
    backend = saved(tmp_path, '{"1": {"ndcg_cut_10": "NaN"}, "2": {"nDCG@10": 0.123456789, "P_5": 1}}')
    with pytest.raises(BackendError, match=r"nDCG@10 twice, as ndcg_cut_10 and as nDCG@10"):
        backend.evaluate(QRELS, RUN, [Measure("P", 5)])
    backend = saved(tmp_path, '{"1": {"ndcg_cut_10": "NaN"}, "2": {"ndcg_cut_10": 0.123456789, "P_5": 1}}')
    found = backend.evaluate(QRELS, RUN, [Measure("nDCG", 10), Measure("P", 5)])
    assert math.isnan(found[Measure("nDCG", 10)].values[b"1"])
    assert found[Measure("nDCG", 10)].values[b"2"] == 0.123456789
    assert found[Measure("P", 5)].values == {b"2": 1.0}
    assert found[Measure("P", 5)].decimals is None


def test_a_file_that_cannot_be_read_is_not_available(tmp_path: Path) -> None:
    """describe says what is wrong with it and raises nothing."""
    about = make(f"recorded:{tmp_path / 'absent'}").describe()
    assert not about.available
    assert "absent" in str(about.reason)
    about = saved(tmp_path, "map 1\n").describe()
    assert not about.available
    about = saved(tmp_path, "foo \t1\t0.1\n").describe()
    assert "no measure that is known" in str(about.reason)
    assert saved(tmp_path, TEXT).describe().available


def test_a_report_may_name_it_shorter(tmp_path: Path) -> None:
    """The id is the path unless a name is given."""
    assert RecordedValues("a/b.txt").id == "recorded:a/b.txt"
    assert RecordedValues("a/b.txt", "recorded:b.txt").id == "recorded:b.txt"
