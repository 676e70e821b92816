"""Files as people have them are recognised by their content, or named, and hold what the TREC file holds."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest
from pyarrow import feather, parquet

import crosscheck
from crosscheck.errors import InputError
from crosscheck.formats.forms import noun_of
from tests.cli.command import crosscheck as command
from tests.formats.test_trec import READERS
from tests.support.kept import Kept

MARCO = "1\ta\t1\n1\tb\t2\n2\tx\t1\n2\tc\t2\n"


def arrow(name, **columns):
    sink, table = io.BytesIO(), pyarrow.table(columns)
    (parquet.write_table if name == "parquet" else feather.write_feather)(table, sink)
    return sink.getvalue()


def noun(content):
    """What a file with this content holds, as far as its first line says it."""
    Path("file").write_bytes(content if isinstance(content, bytes) else content.encode())
    return noun_of("file")


def evaluated(name, download=""):
    """What a command says of a data set, where only files of vaswani are on this machine, and no network."""
    Path("vaswani").mkdir()
    Path("vaswani/qrels.txt").write_text("1\n 7 9\n   /\n2\n 7\n   /\n")
    Path("run").write_text("1 Q0 9 1 2 t\n2 Q0 8 1 2 t\n2 Q0 7 2 1 t\n")
    variables = {"IR_DATASETS_HOME": os.getcwd(), "CROSSCHECK_DOWNLOAD": download}
    variables |= {"IR_DATASETS_DL_TRIES": "1", "https_proxy": "http://localhost:9"}
    done = command(Path(), "evaluate", f"irds:{name}", "run", "-m", "RR", env=variables)
    return f"{done.out}{done.err}exit code {done.code}"


def piped(*called):
    """What Python says with a run on its standard input."""
    Path("qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\tb\t1\n2\tc\t1\n")
    done = subprocess.run([sys.executable, *called], input=MARCO.encode(), capture_output=True, check=True)
    return (done.stdout + done.stderr).decode()


EXAMPLES = Kept(__file__, within=(READERS,), arrow=arrow, noun=noun, evaluated=evaluated, piped=piped)
test_examples = EXAMPLES.test()


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
