"""The command on real TREC data: byte for byte what the C programs printed for it."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from crosscheck.trec_eval.command import trec_eval

#: Collection, run, version, further options, recorded output.
OUTPUTS = [
    ("dbpedia-tti", "ec_lm", "10.0", [], "out.te10.ec_lm"),
    ("dbpedia-tti", "ec_lm", "9.0.8", [], "out.te908.ec_lm.gz"),
    ("dbpedia-tti", "ec_lm", "9.0.8", ["-c"], "out.te908.c.ec_lm.gz"),
    ("dl19-heapsort", "bm25_quantised", "9.0.8", [], "out.te908.bm25_quantised"),
    ("juristcu", "tcu_search", "9.0.8", [], "out.te908.tcu_search.gz"),
    ("trec-covid-r1", "BERT", "10.0", [], "out.te10.BERT"),
    ("trec-covid-r1", "BERT", "9.0.8", [], "out.te908.BERT"),
    ("trec-covid-r4", "ILPS_UvA_big_diverse", "9.0.8", [], "out.te908.ILPS_UvA_big_diverse"),
]


def printed(corpus: Path, collection: str, run: str, version: str, options: list[str]) -> bytes:
    """The output of the command with ``-q -m all_trec``."""
    folder, stdout = corpus / collection, io.BytesIO()
    files = [str(folder / "qrels"), str(folder / f"run.{run}.txt")]
    trec_eval(["--compat", version, "-q", "-m", "all_trec", *options, *files], stdout, io.StringIO())
    return stdout.getvalue()


@pytest.mark.parametrize(("collection", "run", "version", "options", "recorded"), OUTPUTS)
def test_output_is_that_of_the_c_program(
    corpus: Path, collection: str, run: str, version: str, options: list[str], recorded: str
) -> None:
    """All lines but 10.0's rbp, which depends on uninitialised memory there."""
    path = corpus / collection / recorded
    expected = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    ours = printed(corpus, collection, run, version, options)
    if version == "9.0.8":
        assert ours == expected
    lines = [
        [line for line in text.splitlines() if not line.startswith(b"rbp ")] for text in (ours, expected)
    ]
    assert lines[0] == lines[1]


def test_nist_published_the_same_numbers(corpus: Path) -> None:
    """Every value that NIST's later evaluation of a TREC-8 run shares with ours is the same.

    Its interpolated precision has the recall points of 10.0.
    """
    recorded = (corpus / "trec8-adhoc" / "expected.nist-eval.READWARE").read_bytes()
    theirs = {tuple(line.split()[:2]): line.split()[2] for line in recorded.splitlines()}
    ours = {
        tuple(line.split()[:2]): line.split()[2]
        for line in printed(corpus, "trec8-adhoc", "READWARE", "10.0", []).splitlines()
    }
    common = theirs.keys() & ours.keys()
    assert len(common) > 1000
    assert {key: theirs[key] for key in common} == {key: ours[key] for key in common}
