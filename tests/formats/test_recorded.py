"""Saved values are read as they were printed, and written so that they read back exactly."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from crosscheck.formats.recorded import read_recorded, write_recorded
from crosscheck.names import is_measure
from tests.support.kept import Kept


def saved(content):
    """Values, mean and printed decimals of each measure in a file of saved values."""
    Path("file").write_bytes(content)
    found = read_recorded("file", is_measure)
    lines = []
    for measure, decimals in found.decimals.items():
        values = [f"{topic.decode()}={value}" for topic, value in found.values.get(measure, {}).items()]
        mean = [f"mean={found.means[measure]}"] if measure in found.means else []
        lines.append(f"{measure}: {' '.join(values + mean)}, {decimals} decimals")
    return "\n".join(lines)


def decimals(values):
    """Those of P_5, whose mean is the first of these values and the others are queries'; in each layout."""
    rows = [*((f"q{i}", value) for i, value in enumerate(values[1:])), ("all", values[0])]
    text = "".join(f"P_5\t{topic}\t{value}\n" for topic, value in rows)
    table = "".join(f"r,{topic},{value}\n" for topic, value in [("topic", "P_5"), *rows])
    table = table.replace("r,topic", "runid,topic").replace("r,all", "r,amean")
    as_json = json.dumps({topic: {"P_5": value} for topic, value in rows}).replace('"nan"', '"NaN"')
    (found,) = {saved(data.encode()).rpartition(", ")[2] for data in (text, table, as_json)}
    return found


def written(values, path="out"):
    """Values that cannot be written, of which nothing is."""
    try:
        write_recorded(path, values, {})
    finally:
        assert not Path("out").exists()


EXAMPLES = Kept(__file__, saved=saved, decimals=decimals, written=written)
test_examples = EXAMPLES.test()


MEASURES = st.from_regex(r"[A-Za-z]+@[0-9]{1,3}", fullmatch=True)
IDS = st.binary(min_size=1, max_size=8).map(lambda b: bytes(max(c, 33) for c in b))
OF_ALL = (b"all", b"amean", b"mean", b"average", b"avg", b"overall")
VALUES = st.dictionaries(IDS.filter(lambda t: t.lower() not in OF_ALL), st.floats(), min_size=1, max_size=4)


@given(
    st.dictionaries(MEASURES, VALUES, min_size=1, max_size=4),
    st.dictionaries(MEASURES, st.floats(), max_size=3),
)
def test_what_is_written_reads_back_exactly(tmp_path_factory, values, means):
    """Every double, NaN and infinity survives, and the numbers are never taken for rounded ones."""
    path = str(tmp_path_factory.getbasetemp() / "written")
    write_recorded(path, values, means)
    found = read_recorded(path)
    assert repr(found.means) == repr(means)
    held, given = ({m: repr(sorted(some.items())) for m, some in of.items()} for of in (found.values, values))
    assert held == given
    assert set(found.decimals.values()) <= {None}
