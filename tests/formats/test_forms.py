"""Files as people have them are recognised by their content, or named, and hold what the TREC file holds."""

import bz2
import gzip
import io
import lzma
import pickle
import subprocess
import sys

import pyarrow
import pytest
from pyarrow import feather, parquet

import crosscheck
from crosscheck.errors import InputError, UsageError
from crosscheck.formats.forms import FORMS, noun_of, with_form
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Qrels, Run
from tests.cli.command import crosscheck as command
from tests.formats.test_trec import shown

RUN = "1 a 3.5, 1 b 2.5, 2 x 9.0, 2 c 8.0"
BY_RANK = "1 a -1.0, 1 b -2.0, 2 x -1.0, 2 c -2.0"
QRELS = "1 a 1, 1 b 0, 2 c 2"
TREC_RUN = b"1 Q0 a 1 3.5 t\n1 Q0 b 2 2.5 t\n2 Q0 x 1 9 t\n2 Q0 c 2 8 t\n"
MARCO = "1\ta\t1\n1\tb\t2\n2\tx\t1\n2\tc\t2\n"


def arrow(name, **columns):
    sink, table = io.BytesIO(), pyarrow.table(columns)
    (parquet.write_table if name == "parquet" else feather.write_feather)(table, sink)
    return sink.getvalue()


_ROWS = {"qid": ["1", "1", "2", "2"], "docno": list("abxc"), "score": [3.5, 2.5, 9.0, 8.0]}

#: What is read, the content, the rows, and how it says that it was read.
READ = [
    ("qrels", "qid , docid , relevance\n1 , a b , 2\n", "1 a b 2", "CSV qrels"),
    # Tables whose first line names the columns.
    ("qrels", "query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n2\tc\t2\n", QRELS,
     "BEIR qrels (topic, docno, relevance): 3 judgements of 2 queries"),
    ("qrels", "qid,docid,label\r\n1,a,1\r\n1,\"b\",0\r\n\r\n2,c,2", QRELS, "CSV qrels (topic, docno, relev"),
    ("qrels", "Topic_ID; Doc-No; grade\n1; a; 1\n1; b; 0\n2; c; 2\n", QRELS, "CSV qrels"),
    ("qrels", "docid\tqid\trel\nx y\t1\t1\n\"a\tb\nc\"\t1\t0\n", "1 x y 1, 1 a\tb\nc 0", "TSV qrels"),
    ("run", "\ufeff,qid,docno,query,score\n0,1,a,text,3.5\n1,1,b,text,2.5\n2,2,x,y,9\n3,2,c,y,8e0\n", RUN,
     "CSV run (-, topic, docno, -, score): 4 results of 2 queries"),
    ("run", "query_id|docid|rank\n1|a|1\n1|b|2\n2|x|1\n2|c|2\n", BY_RANK,
     "(topic, docno, rank): 4 results of 2 queries; it has no scores: a document's score is its rank,"),
    # MS MARCO.
    ("run", MARCO, BY_RANK, "MS MARCO run (topic, docno, rank): 4 results"),
    ("run", MARCO.replace("\t", " "), BY_RANK, "MS MARCO run"),
    ("run", "1\ta\t0\t3.5\n1\tb\t1\t2.5\n2\tx\t0\t9\n2\tc\t1\t8\n", RUN, "(topic, docno, rank, score)"),
    ("qrels", "1\ta\n2\tc\n", "1 a 1, 2 c 1", "(topic, docno): 2 judgements of 2 queries; it has no levels"),
    ("qrels", "1\ta\t1\n1\tb\t0\n2\tc\t2\n", QRELS, "MS MARCO qrels (topic, docno, relevance)"),
    ("qrels", "1 0 a\n1 0 b\n2 0 c\n", "1 a 1, 1 b 1, 2 c 1", "(topic, iteration, docno): 3 judgements"),
    # JSON.
    ("run", '{"qid": 1, "docid": "a", "score": 3.5}\n{"docid": "b", "qid": 1, "score": 2.5, "more": null}\n',
     "1 a 3.5, 1 b 2.5", "JSON run: 2 results of 1 query"),
    ("qrels", '[{"qid": "1", "doc_id": "a", "label": 1},\n {"qid": "1", "doc_id": "b", "label": 0}]',
     "1 a 1, 1 b 0", "JSON qrels: 2 judgements of 1 query"),
    ("qrels", '{"qid": "1", "docid": "a", "rel": 1}', "1 a 1", ""),
    ("run", '{"1": {"a": 3.5}}\n{"2": {"x": 9}}\n', "1 a 3.5, 2 x 9.0", "JSON run"),
    ("run", '{"qid": ["1"], "docno": ["a"], "score": [2]}', "1 a 2.0", ""),
    # What holds tables, and what is packed.
    ("run", arrow("parquet", **_ROWS), RUN, "parquet run: 4 results of 2 queries"),
    ("run", arrow("feather", **_ROWS), RUN, "feather run: 4 results of 2 queries"),
    ("qrels", arrow("parquet", qid=[1, 1], docid=["a", "b"], score=[1, 0]), "1 a 1, 1 b 0", "parquet qrels"),
    ("run", gzip.compress(MARCO.encode(), mtime=0), BY_RANK, "MS MARCO run"),
    ("run", bz2.compress(TREC_RUN), RUN, ""),
    ("run", lzma.compress(TREC_RUN), RUN, ""),
    ("run", pyarrow.compress(TREC_RUN, codec="zstd", asbytes=True), RUN, ""),
    # TREC's own lines stay TREC's.
    ("run", TREC_RUN, RUN, ""),
]  # fmt: skip


@pytest.mark.parametrize(("noun", "content", "rows", "said"), READ)
def test_content_is_recognised(tmp_path, noun, content, rows, said):
    """The rows of the TREC file, and one note on how it was read; none where it is as trec_eval reads it."""
    path = tmp_path / "file"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    read = read_run if noun == "run" else read_qrels
    table: Run | Qrels = read(str(path))
    assert shown(table) == rows
    notes = [note for note in table.notes if note.startswith("read as ")]
    assert len(notes) == bool(said)
    assert all(said in note for note in notes)


@pytest.mark.parametrize(
    ("noun", "form", "content", "rows"),
    [
        ("run", "qid,docid,score", "1 a 3\n1 b 2\n", "1 a 3.0, 1 b 2.0"),
        ("run", "docid,_,qid,score", "a,q,1,3\nb,q,1,2\n", "1 a 3.0, 1 b 2.0"),
        ("run", "msmarco", "1 a 3\n1 b 2\n", "1 a -3.0, 1 b -2.0"),
        ("run", "qid,docid,score", "1\tx y\t3\n", "1 x y 3.0"),
        ("qrels", "topic,docno,relevance", "1 0 7\n2 0 9\n", "1 0 7, 2 0 9"),
        ("qrels", "topic,_,docno", "1 0 7\n2 0 9\n", "1 7 1, 2 9 1"),
        ("qrels", "msmarco", "1 0 a 1\n", "1 a 1"),
        ("qrels", "trec", "1 0 a 1\n", "1 a 1"),
    ],
)
def test_a_named_form(tmp_path, noun, form, content, rows):
    """The path begins with it; a file whose name begins so is no such path."""
    (tmp_path / "file").write_text(content)
    path = with_form(str(tmp_path / "file"), form)
    assert shown(read_run(path) if noun == "run" else read_qrels(path)) == rows


#: What is read, the content, and parts of the message.
WRONG = [
    ("qrels", "1\ta\t7\t1\n1\tb\t7\t0\n", ":2: document '7' occurs twice under topic '1', on lines 1 and 2"),
    # A table of another kind, a first line where TREC has none, and files that are not what they were named.
    ("run", "qid,docid,relevance\n1,a,1\n", ":1: these are columns of qrels|were qrels and run swapped?"),
    ("qrels", "qid,docid,rank\n1,a,1\n", ":1: these are columns of a run|were qrels and run swapped?"),
    ("run", "qid Q0 docno rank score tag\n1 Q0 a 1 2 t\n", ":1: the first line names the columns"),
    ("qrels", "qid iter docno rel\n1 0 a 1\n", ":1: the first line names the columns|remove the first line"),
    ("qrels", "qid,docid,relevance\n", "holds nothing but the names of its columns"),
    ("qrels", "qid,docid,relevance\r1,a,1\r", ":1: a carriage return inside a line|tr '\\r' '\\n'"),
    ("qrels", '[["1", "a", 1]]', "must be a mapping, not list"),
    ("qrels", "version https://git-lfs.github.com/spec/v1\noid sha256:\n", "Git LFS|git lfs pull"),
    ("run", "<!DOCTYPE html>\n<html></html>\n", "the file is a web page"),
    ("run", b"SQLite format 3\0", "a database of SQLite|export a table as CSV"),
    ("run", pickle.dumps({"1": {"a": 0.5}}, 0), "a pickle, which could run programs|write it as JSON"),
    ("run", "1 Q0 a 1 2 t\n".encode("utf-16"), "text in UTF-16|save it as UTF-8"),
    ("qrels", b"\x93NUMPY\1\0", "an array of numpy"),
    ("qrels", b"%PDF-1.7\n", "a PDF"),
    ("run", '<?xml version="1.0"?>\n', "is XML"),
    ("run", b"run.txt".ljust(257, b"\0") + b"ustar\0" + bytes(250), "a tar archive|unpack it: tar -xf"),
    ("run", gzip.compress(b"run.txt".ljust(257, b"\0") + b"ustar\0" + bytes(250), mtime=0), "a tar archive"),
    ("qrels", "1 0 7\n2 0 9\n", ":1: these columns can be read in several ways|the path \"topic,_,docno:"),
    ("run", "1 a 3\n1 b 2\n", "the run line has 3 columns|the path \"qid,docid,score:|the path \"msmarco:"),
    ("run", "1 a 1\n1 b 2\n1 c 4\n", ":1: the run line has 3 columns"),
    ("run", MARCO + "3\tx\t1\n" * 2, ":1: the run line has 3 columns|for ranks"),
    ("run", "1 a 1\n1 b 2\n2 a 1\n" + "".join(f"{t} d 1\n" for t in range(3, 20000)) + "2 b 1\n",
     ":20001: two documents of a query have the same rank, on lines 3 and 20001|the path \"qid,docid,score:"),
    ("run", MARCO + "3\tx\tone\n", ":1: the run line has 3 columns"),
    ("run", "qid,docid,score\n1,a,1\n1,b\n", ":3: the line has 2 columns|3 columns, as in the first line"),
    ("run", "qid,docid,score\n1,a,\n", ":2: the score is not a number|column 3|correct the value"),
    ("qrels", "qid,docid,rel\n1,a,True\n", "not a whole number|write 1 for true and 0 for false"),
    ("run", "qid;docid;score\n1;a;7,5\n", ":2: the score is not a number|a point in place of the comma"),
    ("qrels", "qid,docid,score\n1,a,7.5\n", "not a whole number|a score: were qrels and run swapped?"),
    ("run", "qid,docid,score\n1,,1\n", ":2: column 2 is empty"),
    ("run", "qid,docid,score\n1,a,nan\n", ":2: the score is NaN"),
    ("run", 'qid,docid,score\n"1,a,1\n', ":2: invalid CSV: unexpected end of data"),
    ("run", "qid,docid,score\n1,a,1\n1,b,1\n1,a,2\n", ":4: document 'a' occurs twice|on lines 2 and 4"),
    ("qrels", "qid,docid,rel\n1,a,1\n1,b,1.0\n", ":3: the relevance level is not a whole number|column 3"),
    ("qrels", "qid,docid,rel\n1,a,1\n1,\"b\n c\",x\n", ":3: the relevance level is not a whole number"),
    ("qrels", "two words\n", ":1: the qrels line has 2 columns"),
    ("qrels", "1\ta\n1\ta\n", ":1: the qrels line has 2 columns"),
    ("qrels", "question,passage,grade\n1,a,1\n", "no column for the query among: question, passage, grade"),
    ("run", "qid,docid,distance\n1,a,1\n", ":1: no column for the score among: qid, docid, distance|highest"),
    ("run", "q,document,s,rank\n1,a,1,1\n", "no column for the query and the score among: q, document, s"),
    ("run", "1,a,3.5,1\n", "the path \"qid,docid,score,_:|name them in a first line"),
    ("run", "1 0 a 1.0\n", ":1: the run line has 4 columns|complete the line"),
    ("run", "1 a 1 3.5 t\n", "the path \"qid,docid,_,score,_:"),
    ("qrels", "1;0;a;1\n", "the path \"qid,_,docid,relevance:"),
    ("qrels", "1,a,1\n", "the path \"qid,docid,relevance:|name them in a first line"),
    ("run", "qid,docid,rank\n1,a,1\n1,b,1\n", "if these are scores, call the column score"),
    ("run", '{"qid": 1, "docid": "a", "score": 1}\n{"qid": 1, "docid": "b"}\n', "row 2 has no 'score'"),
    ("run", '{"qid": 1, "docid": "a", "score": 1}\n{"qid": 1, \n', ":2: invalid JSON"),
    ("run", '[{"qid": 1, "docid": "a"}]', "these are not the columns of a run|qid, docid, score"),
    ("run", '[{"qid": 1, "docid": "a", "score": "1"}]', "expected a number as score, got str"),
    ("run", '{"1": {"a": 1}}\n{"1": {"b": 1}}\n', "topic '1' occurs again in row 2"),
    ("run", arrow("parquet", qid=["1"], docid=["a"]), "not the columns of a run|found:    'qid, docid'"),
    ("run", arrow("parquet", **_ROWS)[:-9], "the parquet file cannot be read"),
    ("run", arrow("parquet", qid=["1"], docid=[None], score=[1.0]), "an id has the type NoneType"),
]  # fmt: skip


@pytest.mark.parametrize(("noun", "content", "said"), WRONG)
def test_what_is_wrong_is_said(tmp_path, noun, content, said):
    """With the line and the column, and never as a guess."""
    path = tmp_path / "file"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        (read_run if noun == "run" else read_qrels)(str(path))
    text = str(caught.value)
    assert text.startswith(str(path))
    assert [part for part in said.split("|") if part not in text] == []


def test_ties_of_ranks_are_found_where_a_run_is_streamed(tmp_path):
    """Also in a file of several blocks, in parts by several processes; the same error as of a whole file."""
    lines = [f"{t}\td{d}\t{d}\n" for t in range(1, 400) for d in range(1, 300)]
    (tmp_path / "run").write_text("".join(lines))
    (tmp_path / "tied").write_text("".join([*lines, "400\ta\t1\n400\tb\t2\n400\tc\t2\n"]))
    qrels = {str(t): {"d2": 1} for t in range(1, 401)}
    (values,) = crosscheck.evaluate_runs(qrels, [str(tmp_path / "run")], ["RR"], workers=2)
    assert values.means() == {"RR": 0.5}
    (fact,) = values.facts
    assert fact.startswith(
        "read as MS MARCO run (topic, docno, rank): 119,301 results of 399 queries; it has"
    )
    same = "two documents of a query have the same rank, on lines 119303 and 119304"
    for workers in (1, 2):
        with pytest.raises(InputError, match=same):
            crosscheck.evaluate_runs(qrels, [str(tmp_path / "tied")], ["RR"], workers=workers)


def test_forms_that_do_not_exist_are_named(tmp_path):
    """With the ones that do; and what a file holds is said only where its first line says it."""
    with pytest.raises(UsageError, match=r"did you mean msmarco\?"):
        with_form("run", "msmarko")
    (tmp_path / "f").write_text("1\ta\t1\n")
    with pytest.raises(InputError, match="the run line has 3 columns"):  # though they fit another form
        read_run(with_form(str(tmp_path / "f"), "trec"))
    (tmp_path / "f").write_text("1 a\n")
    with pytest.raises(UsageError, match="a run needs a column of scores or of ranks"):
        read_run(with_form(str(tmp_path / "f"), "qid,docid"))
    (tmp_path / "f").write_text("1,a,2\n1,b\n")
    with pytest.raises(InputError, match=r":2: the line has 2 columns\n.*'1,b'\n  expected: 3 columns$"):
        read_run(with_form(str(tmp_path / "f"), "qid,docid,score"))
    (tmp_path / "f").write_bytes(b"1 Q0 a 1 1 t\r1 Q0 b 2 0.5 t\r")
    with pytest.raises(InputError, match=r":1: a carriage return inside a line"):  # not the columns' names
        read_run(with_form(str(tmp_path / "f"), "csv"))
    for content, noun in {
        "1 Q0 a 1 2 t\n": "run", "1 0 a 1\n": "qrels", MARCO: None,
        "query-id\tcorpus-id\tscore\n1\ta\t1\n": "qrels",
        "qid,docid,score\n1,a,1\n": None, "qid,docid,rank\n1,a,1\n": "run", "qid,docid,rel\n1,a,1\n": "qrels",
    }.items():  # fmt: skip
        (tmp_path / "f").write_text(content)
        assert noun_of(str(tmp_path / "f")) == noun


def test_standard_input_and_the_public_readers(tmp_path):
    """``-`` in Python and in commands, through a pipe."""
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\tb\t1\n2\tc\t1\n")

    def piped(*called):
        command = [sys.executable, *called]
        return subprocess.run(command, cwd=tmp_path, input=MARCO.encode(), capture_output=True, check=True)

    done = piped("-c", "import crosscheck; print(crosscheck.read_run('-').docnos.tolist())")
    assert done.stdout == b"[b'a', b'b', b'x', b'c']\n"
    assert crosscheck.read_qrels(str(tmp_path / "qrels.tsv")).rels.tolist() == [1, 1]
    done = piped("-m", "crosscheck", "evaluate", "qrels.tsv", "-", "-m", "RR", "--format", "run=msmarco")
    assert done.stdout == b"measure    mean\nRR       0.5000\n"
    said = [line.partition(": ")[2].partition(" (")[0] for line in done.stderr.decode().splitlines()]
    assert said == ["read as BEIR qrels", "read as MS MARCO run"]


def test_every_form_has_a_name():
    """Those that a user may name are those that the help lists."""
    from crosscheck.cli.convert import FORMS as WRITTEN
    from crosscheck.studies.options import FORMAT

    assert set(WRITTEN) == set(FORMS)
    assert all(f"{name}," in (FORMAT.help or "") for name in FORMS)


def test_a_data_set_is_read_where_its_files_are_and_never_fetched(tmp_path):
    """``irds:NAME`` for qrels; without files, a part or such a data set there is one message only."""
    (tmp_path / "vaswani").mkdir()
    (tmp_path / "vaswani" / "qrels.txt").write_text("1\n 7 9\n   /\n2\n 7\n   /\n")
    (tmp_path / "run").write_text("1 Q0 9 1 2 t\n2 Q0 8 1 2 t\n2 Q0 7 2 1 t\n")
    environment = {"IR_DATASETS_HOME": str(tmp_path), "CROSSCHECK_DOWNLOAD": ""}
    for name, code, said in (
        ("vaswani", 0, ""),
        ("beir/scifact/test", 2, "the files of this data set are not on this machine"),
        ("beir/scifact", 2, "this data set has no qrels"),
        ("nonsense", 2, "ir_datasets has no data set 'nonsense'"),
    ):
        done = command(tmp_path, "evaluate", f"irds:{name}", "run", "-m", "RR", env=environment)
        assert (done.code, done.out) == (code, "" if code else "measure    mean\nRR       0.7500\n"), done
        assert said in done.err
        assert done.err.count("\n") == code, done.err
