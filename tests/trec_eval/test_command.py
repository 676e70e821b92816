"""The command as a whole: which topics are evaluated, how it fails, and what it says then."""

import bz2
import io
import lzma
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from crosscheck.conventions import conventions as parsed
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Measure
from crosscheck.names import expand_group, trec_eval_name
from crosscheck.trec_eval.command import trec_eval
from tests.support.kept import Kept, shown

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 2\n3 0 c 1\n"
RUN = b"1 Q0 a 1 1 t\n1 Q0 b 2 3 t\n2 Q0 a 1 1 t\n4 Q0 a 1 1 t\n"


def call(*words: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """The exit code of a call, stdout and stderr."""
    stdout, stderr = io.BytesIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        return trec_eval(words, stdout, stderr), stdout.getvalue(), stderr.getvalue()


def on_files(folder: Path, *options: str, qrels: bytes = QRELS, run: bytes = RUN) -> tuple[int, bytes, str]:
    """The same of a call on two files."""
    for name, content in (("qrels", qrels), ("run", run)):
        (folder / name).write_bytes(content)
    return call(*options, *(str(folder / name) for name in ("qrels", "run")))


BZ2, LZMA = bz2.compress(RUN), lzma.compress(RUN)
TWICE = QRELS + b"2 0 a 2\n"
CIRCLE = b"1 g s1 a 2\n1 g s1 b 1\n1 g s2 b 2\n1 g s2 a 1\n"
SPLIT = b"1 g s a 2\n1 g s b 1\n1 g t a 0\n1 g t b 1\n"


def told(code: int, printed: bytes, stderr: str) -> str:
    """No control character reaches the terminal."""
    assert "\x1b" not in stderr
    return f"exit code {code}\n{printed.decode('utf-8', 'backslashreplace')}{stderr}"


def said(folder: Path, options: str = "", z: bytes = b"", **files: bytes) -> str:
    """What a call says with these options, of which ``-Z`` may have the file z."""
    (folder / "z").write_bytes(z)
    return told(*on_files(folder, *options.replace("FOLDER", str(folder)).split(), **files))


EXAMPLES = Kept(__file__, TypeError, ValueError, within=(globals(),), show=shown)
test_examples = EXAMPLES.test()


LEVELS = pytest.mark.parametrize("level", [1, 2])


def printed_and_native(folder, *options, conventions, measures, **files):
    """The values that a call prints by name and topic, and those of each measure under conventions."""
    _, printed, _ = on_files(folder, *options, **files)
    lines = (line.split() for line in printed.decode().splitlines())
    found = {
        (name, topic): float(value) for name, topic, value in lines if name not in ("runid", "relstring")
    }
    rankings = Rankings(read_run(str(folder / "run")), read_qrels(str(folder / "qrels")))
    return found, {measure: evaluate(rankings, measure, parsed(conventions)) for measure in measures}


@pytest.mark.parametrize(("version", "profile"), [("9.0.8", "trec_eval-9.0.8-c"), ("10.0", "trec_eval-10-c")])
@LEVELS
def test_c_gives_the_summaries_of_its_profile(tmp_path, version, profile, level):
    """Every summary under -c, sums and geometric means included, is the native one; no query is alike by
    chance, one has no results and one no judgements. num_rel is that of level 1 under -l2 too."""
    options = ("--compat", version, "-c", f"-l{level}", "-m", "all_trec")
    held, measures = f"{profile},relevance_level={level}", expand_group("all_trec", version)
    found, native = printed_and_native(tmp_path, *options, conventions=held, measures=measures)
    for measure, values in native.items():
        assert values.mean == pytest.approx(found[str(trec_eval_name(measure)), "all"], abs=5.1e-5), measure


@LEVELS
def test_c_of_10_prints_the_judgements_of_topics_without_results(tmp_path, level):
    """Per topic num_rel is R and num_q 1 where a topic has no results, in its profile as in the command."""
    files = {"qrels": b"1 0 a 1\n1 0 b 2\n2 0 c 1\n2 0 d 2\n2 0 e 3\n3 0 a -1\n"}
    files["run"] = b"1 Q0 a 1 2 t\n3 Q0 a 1 1 t\n"
    options = ("--compat", "10.0", "-q", "-c", f"-l{level}", "-m", "num_rel")
    held, measures = f"trec_eval-10-c,relevance_level={level}", [Measure("NumRel"), Measure("NumQ")]
    found, native = printed_and_native(tmp_path, *options, conventions=held, measures=measures, **files)
    counted, queries = native.values()
    topics = ("1", "2", "3", "all")
    assert [*counted.values.tolist(), counted.mean] == [found["num_rel", topic] for topic in topics]
    assert (queries.values.tolist(), queries.mean) == ([1.0, 1.0, 1.0], 3.0)
