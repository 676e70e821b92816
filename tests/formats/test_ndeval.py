"""Saved tables of ndeval and gdeval are values like any other."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from crosscheck.errors import InputError
from crosscheck.formats.recorded import Recorded, read_recorded

TABLE = """\
runid,topic,ERR-IA@5,alpha-nDCG@10,nNRBP
my run,51,0.250000,1.000000,0.125000
my run,52,0.000000,0.500000,-nan
my run,amean,0.125000,0.750000,-nan
"""


def read(folder: Path, text: str) -> Recorded:
    path = folder / "recorded"
    path.write_text(text)
    return read_recorded(str(path))


def test_a_table_of_ndeval(tmp_path: Path) -> None:
    """Columns are measures, ``amean`` is the mean, and six decimals were printed."""
    found = read(tmp_path, TABLE)
    assert found.values["ERR-IA@5"] == {b"51": 0.25, b"52": 0.0}
    assert found.values["alpha-nDCG@10"] == {b"51": 1.0, b"52": 0.5}
    assert math.isnan(found.values["nNRBP"][b"52"])
    assert (found.means["ERR-IA@5"], found.means["alpha-nDCG@10"]) == (0.125, 0.75)
    assert set(found.decimals.values()) == {6}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE.replace("0.500000,-nan\n", "0.500000\n"), "3: a line without run id, topic and 3 numbers"),
        (TABLE.replace("0.500000", "half"), "3: a line without run id, topic and 3 numbers"),
        (TABLE.replace("run,52", "run,51"), "topic '51' is on lines 2 and 3"),
        (TABLE.replace("ERR-IA@5", "nNRBP"), "1: measure 'nNRBP' occurs twice"),
        ("runid,topic,ERR-IA@5\n", "holds no value"),
        ("runid,topic,\nx\n", "2: a line without run id, topic and 1 numbers"),
    ],
)
def test_damaged_tables_are_named(tmp_path: Path, text: str, message: str) -> None:
    """With the line, and never as a traceback."""
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
