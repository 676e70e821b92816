"""Saved values are read as they were printed, and written so that they read back exactly."""

import gzip
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import InputError, UsageError
from crosscheck.formats.recorded import read_recorded, write_recorded
from crosscheck.names import is_measure

TREC_EVAL = b"""\
num_ret               \t401\t27
map                   \t401\t0.0650
relstring             \t401\t'1-0'
relstring_5           \t401\t'1-0'
bpref                 \t401\t  -nan
runid                 \tall\tREADWARE
num_q                 \tall\t1
map                   \tall\t0.0650
"""


def read(folder, data):
    path = folder / "recorded"
    path.write_bytes(data)
    return read_recorded(str(path), is_measure)


NDEVAL = b"""\
runid,topic,ERR-IA@5,alpha-nDCG@10,nNRBP
my run,51,0.250000,1.000000,0.125000
my run,52,0.000000,0.500000,-nan
my run,amean,0.125000,0.750000,-nan
"""
NUMBERS = (
    b"""{"1": {"map": 0.5, "ndcg": "NaN", "P_5": Infinity}, "2": {"map": 1}, "all": {"map": "-Infinity"}}"""
)
DIGITS = b"""{"1": {"map": 0.499, "ndcg": "0.4990", "P_5": "0.25", "RR": "0.333"},
 "2": {"map": 0.25, "ndcg": "0.5", "P_5": 1, "RR": 0.3333333}, "all": {"bpref": "4.99e-1"}}"""
_PRINTED = [("AP", "1", 1 / 3), ("P@8", "1", 0.125), ("RR", "1", None), ("AP", "all", 1 / 3)]
_KEYS = ("run", "measure", "query", "value")
_ROWS = [[("r", m, q, repr(v)) for m, q, v in _PRINTED if v], [_KEYS, ("r", "RR", "1", "-")]]
EVALUATED = [
    "\n".join(map(",".join, [*_ROWS[1], *_ROWS[0]])).encode(), "\n".join(map("\t".join, _ROWS[0])).encode(),
    json.dumps([dict(zip(_KEYS, ("r", *row), strict=True)) for row in _PRINTED]).encode(),
]  # fmt: skip
OUTPUT = (
    {"num_ret": {"401": 27.0}, "map": {"401": 0.065}, "bpref": {"401": math.nan}},
    {"map": 0.065, "num_q": 1.0},
    {"num_ret": None, "map": 4, "bpref": None, "num_q": None},
)


@pytest.mark.parametrize(
    ("data", "values", "means", "decimals"),
    [
        # Counts, NaN and the summary of trec_eval are values; texts are not; four decimals were printed.
        (TREC_EVAL, *OUTPUT),
        (gzip.compress(TREC_EVAL), *OUTPUT),
        (TREC_EVAL.replace(b"\n", b"\r\n"), *OUTPUT),
        (b"\xef\xbb\xbf" + TREC_EVAL, *OUTPUT),
        # Columns of ndeval's tables are measures, and amean is the mean.
        (
            NDEVAL,
            {"ERR-IA@5": {"51": 0.25, "52": 0.0}, "alpha-nDCG@10": {"51": 1.0, "52": 0.5}}
            | {"nNRBP": {"51": 0.125, "52": math.nan}},
            {"ERR-IA@5": 0.125, "alpha-nDCG@10": 0.75, "nNRBP": math.nan},
            {"ERR-IA@5": 6, "alpha-nDCG@10": 6, "nNRBP": 6},
        ),
        # The form that pytrec_eval returns: numbers are exact, unless they are text.
        (NUMBERS, {"map": {"1": 0.5, "2": 1.0}, "ndcg": {"1": math.nan}, "P_5": {"1": math.inf}},
         {"map": -math.inf}, {"map": None, "ndcg": None, "P_5": None}),
        (
            DIGITS,
            {"map": {"1": 0.499, "2": 0.25}, "ndcg": {"1": 0.499, "2": 0.5}}
            | {"P_5": {"1": 0.25, "2": 1.0}, "RR": {"1": 0.333, "2": 0.3333333}},
            {"bpref": 0.499},
            {"map": None, "ndcg": 4, "P_5": None, "RR": None, "bpref": None},
        ),
        # What `crosscheck evaluate` prints as csv, tsv and json. A value with every digit shows that 0.125 is
        # not rounded.
        *(
            (data, {"AP": {"1": 1 / 3}, "P@8": {"1": 0.125}}, {"AP": 1 / 3}, {"AP": None, "P@8": None})
            for data in EVALUATED
        ),
        # Tables of data frames: a column for each measure, the topics as the unnamed index, or no topics.
        (b',AP,"P@8"\r\n"1,5",0.1250,\r\n2,0.5000,nan\r\n',
         {"AP": {"1,5": 0.125, "2": 0.5}, "P@8": {"2": math.nan}}, {}, {"AP": 4, "P@8": None}),
        (b"qid;nDCG\n7;0.1234\n", {"nDCG": {"7": 0.1234}}, {}, {"nDCG": 4}),
        (b"Metric\tScore\nAP\t0.1234\n", {}, {"AP": 0.1234}, {"AP": 4}),
        # ir_measures prints the topic first, and means without one; ranx's JSON has measures outside.
        (b"1\tAP\t0.1234\nq2\tR@5\t0.2\nall\tAP\t0.5\n",
         {"AP": {"1": 0.1234}, "R@5": {"q2": 0.2}}, {"AP": 0.5}, {"AP": 4, "R@5": 4}),
        (b"AP\t0.5\nnDCG@10\t0.1234\n", {}, {"AP": 0.5, "nDCG@10": 0.1234}, {"AP": 4, "nDCG@10": 4}),
        (b'{"p@5": {"1": 0.5, "2": 0.2}, "map": {"1": 1}}',
         {"p@5": {"1": 0.5, "2": 0.2}, "map": {"1": 1.0}}, {}, {"p@5": None, "map": None}),
        (b'{"ndcg@10": 0.5, "map": 0.25}', {}, {"ndcg@10": 0.5, "map": 0.25}, {"ndcg@10": None, "map": None}),
        # As trec_eval has them, where names of measures are in both places, or in neither.
        (b"AP map 0.5000\n", {"AP": {"map": 0.5}}, {}, {"AP": 4}),
        (b"moose 1 0.5000\n", {"moose": {"1": 0.5}}, {}, {"moose": 4}),
        (b'{"map": {"AP": 0.5}}', {"AP": {"map": 0.5}}, {}, {"AP": None}),
    ],
)  # fmt: skip
def test_saved_values(tmp_path, data, values, means, decimals):
    """Values by measure and topic, means, and the digits that were printed, from any layout and container."""
    found = read(tmp_path, data)
    held = {m: {topic.decode(): value for topic, value in some.items()} for m, some in found.values.items()}
    assert repr(held) == repr(values)
    assert {m: repr(mean) for m, mean in found.means.items()} == {m: repr(mean) for m, mean in means.items()}
    assert found.decimals == decimals


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        (["0.1234", "1.0000", "7"], 4),
        (["0.12345", "1.00000"], 5),
        (["0.1234", "1.0"], 4),
        (["0.5", "0.123", "-0.12345", "7", "nan"], 5),
        (["0.5", "1.0"], None),
        (["0.3", "0.0", "0.5"], 1),
        (["0.67", "0", "1", "1"], 2),
        (["0.6", "0", "1", "1"], None),
        (["0.12345678901234567", "0.50000000000000000"], None),
        (["0.1234", "1.0000e-05"], 4),
        (["0.1234", "1.2345678901234567e-05"], None),
        (["1e-05", "2e-05"], None),
        (["7", "8"], None),
    ],
)
def test_decimals_are_told_only_where_values_look_rounded(tmp_path, values, decimals):
    """The longest number says it, of queries and of the mean, which is the first here. Short exact numbers
    such as 0.5 must not excuse a difference of 0.05; they are not exact where the mean of what is printed is
    not the mean that is printed, but rounds to it."""
    rows = [*((f"q{i}", value) for i, value in enumerate(values[1:])), ("all", values[0])]
    text = "".join(f"P_5\t{topic}\t{value}\n" for topic, value in rows)
    table = "".join(f"r,{topic},{value}\n" for topic, value in [("topic", "P_5"), *rows])
    table = table.replace("r,topic", "runid,topic").replace("r,all", "r,amean")
    saved = json.dumps({topic: {"P_5": value} for topic, value in rows}).replace('"nan"', '"NaN"')
    for data in (text, table, saved):
        assert read(tmp_path, data.encode()).decimals == {"P_5": decimals}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        *((data, ":1: the line does not have the columns measure, topic and value|trec_eval -q as it is")
          for data in (b"nonsense\t0.5\n", b"qid\n1\n", b"run,AP\nr,0.5\n", b"run,query\nr,1\n")),
        (b"map\t1\t0.5\nmap\t2\tx\n", r":2: the line does not have|found:    'map\t2\tx'"),
        (b"map\t1\t1_0\n", ":1:"),
        (b"map 1 0.5\nP_5 1 0.2\n\nmap 1 0.5\n", ":4:|in lines 1 and 4"),
        (b"map 1 0.5\rmap 2 0.5\r", ":1: a carriage return inside a line|tr '\\r' '\\n'"),
        (b"query,AP\r1,0.5\r", ":1: a carriage return inside a line"),
        (b"query,AP\n1,%s\n" % (b"1" * 140_000), ":2: invalid table: field larger than field limit"),
        (b"%s,AP\n" % (b"1" * 140_000), ":1: the line does not have"),
        (b"runid\tall\tx\n", "holds no value"),
        (b"", "empty"),
        (b"{}", "holds no value"),
        (b'{"1": {"map": null}}', "topic '1', measure 'map'|null|leave the measure out"),
        (b'{"1": {"map": "half"}}', "not a number|'half'"),
        (b'{"1": {"map": "1e999"}}', "not a number|'1e999'"),
        (b'{"1": {"map": true}}', "not a number"),
        (b'{"1": 0.5}', "topic '1': the value is not an object"),
        (b'{"1": {"map": 1, "map": 1}}', "twice"),
        (b'{"1": {"map": %s}}' % (b"9" * 400), "too large"),
        (NDEVAL.replace(b"00,-nan\nmy run,a", b"00\nmy run,a"),
         ":3: the line does not have 5 cells with numbers|columns runid, topic, ERR-IA@5"),
        (NDEVAL.replace(b"0.500000", b"half"), ":3: the line does not have 5 cells with numbers"),
        (NDEVAL.replace(b"run,52", b"run,51"), ":3: measure 'ERR-IA@5' has two values for topic '51'|and 3"),
        (NDEVAL.replace(b"ERR-IA@5", b"nNRBP"), ":1: measure 'nNRBP' occurs twice"),
        (b"runid,topic,ERR-IA@5\n", "holds no value"),
        (b"runid,topic,\nx\n", ":2: the line does not have 3 cells with numbers"),
        # A table or a list of several runs is not one saved output.
        (b"run,measure,query,value\na,AP,1,0.5\nb,AP,1,0.25\n", "values of 2 runs: 'a', 'b'"),
        (b"a\tAP\t1\t0.5\nb\tAP\t1\t0.25\n", "values of 2 runs: 'a', 'b'"),
        (b'[{"run": "a", "measure": "AP", "value": 1}, {"run": "b", "metric": "AP", "score": 1}]',
         "values of 2 runs: 'a', 'b'"),
        (b'[{"measure": "AP", "query": 1, "value": 1}, {"measure": "AP", "query": "1", "value": 1}]',
         ":2: measure 'AP' has two values for topic '1', in objects 1 and 2"),
        (b'[{"query": "1", "AP": 0.5}]', "object 1 of the list does not have a measure and a value"),
        (b"[1]", "object 1 of the list does not have a measure and a value"),
    ],
)  # fmt: skip
def test_bad_records_are_named(tmp_path, data, said):
    """No value is guessed, and none is given twice."""
    with pytest.raises(InputError) as caught:
        read(tmp_path, data)
    assert [part for part in said.split("|") if part not in str(caught.value)] == []


MEASURES = st.from_regex(r"[A-Za-z]+@[0-9]{1,3}", fullmatch=True)
IDS = st.binary(min_size=1, max_size=8).map(lambda b: bytes(max(c, 33) for c in b))
VALUES = st.dictionaries(IDS.filter(lambda t: t != b"all"), st.floats(), min_size=1, max_size=4)


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


@pytest.mark.parametrize(
    ("measure", "topic", "error"),
    [
        *((measure, b"1", UsageError) for measure in ("a b", "")),
        *(("map", topic, UsageError) for topic in (b"1 2", b"", b"all")),
        ("map", b"1", InputError),
    ],
)
def test_what_cannot_be_written_is_said(tmp_path, measure, topic, error):
    """Nothing is written that would read back as something else; a folder cannot be written."""
    path = tmp_path if error is InputError else tmp_path / "out"
    with pytest.raises(error):
        write_recorded(str(path), {measure: {topic: 0.5}}, {})
    assert not (tmp_path / "out").exists()
