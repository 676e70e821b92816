"""Many runs give what each gives alone, whatever works on them."""

import gzip
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crosscheck
from crosscheck.engine import runs as engine_runs
from crosscheck.engine.runs import evaluate_runs
from crosscheck.engine.streaming import Reading
from crosscheck.errors import InputError
from crosscheck.formats.dicts import run_from_dict
from crosscheck.formats.reference_reader import Rules
from tests.support.kept import examples

MEASURES = ["AP", "nDCG@5", "P@3", "NumRelRet", "bpref"]
TOPICS = [b"7", b"10", b"x", b"9"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Qrels and five runs of different size, with ties, a topic of one side only and a long docno."""
    folder = tmp_path_factory.mktemp("runs")
    rng = np.random.default_rng(1)
    lines = [f"{t.decode()} 0 doc{d} {rng.integers(-1, 4)}" for t in TOPICS for d in range(0, 60, 3)]
    (folder / "qrels").write_text("\n".join([*lines, "7 0 " + "d" * 70 + " 2", "none 0 doc1 1"]))
    paths = []
    for i in range(5):
        text = b"7 Q0 %s 0 9 t\n" % (b"d" * 70)
        for topic in TOPICS:
            scores = -np.sort(-rng.integers(0, 20, 10 * i + 10))
            text += b"".join(
                b"%s Q0 doc%d %d %d run%d\n" % (topic, d, r, s, i)
                for r, (d, s) in enumerate(zip(rng.permutation(60).tolist(), scores.tolist(), strict=False))
            )
        paths.append(folder / f"run{i}")
        paths[-1].write_bytes(text)
    return str(folder / "qrels"), [str(path) for path in paths]


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def alone(qrels, paths, **options):
    return [crosscheck.evaluate(qrels, path, MEASURES, **options) for path in paths]


def values(results):
    return [result.values() for result in results]


def test_many_runs_are_each_run_alone(files, monkeypatch):
    """In this process: the same values, in the order of the runs, with each run's name and means. Processes
    are made where they are needed."""
    with engine_runs.open_executor("processes") as executor:
        assert executor is None
    qrels, paths = files
    monkeypatch.setattr("crosscheck.processes.pool.WorkerPool", None)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    results = evaluate_runs(qrels, paths, MEASURES)
    assert values(results) == alone(qrels, paths)
    assert [r.run for r in results] == paths
    assert [r.tag for r in results] == [b"run%d" % i for i in range(5)]
    precision = [v["P@3"] for v in results[0].values().values()]
    assert results[0].means()["P@3"] == pytest.approx(sum(precision) / len(precision))


def test_processes_give_the_same(files, processes):
    """Shards over processes change nothing, not even for docnos that are hashed one by one."""
    qrels, paths = files
    seen: list[tuple[int, int]] = []
    zero: Any = {"conventions": "missing_queries=zero"}
    told = {"executor": processes, "progress": lambda done, total: seen.append((done, total))}
    assert values(evaluate_runs(qrels, paths, MEASURES, **told, **zero)) == alone(qrels, paths, **zero)
    assert seen[-1] == (5, 5)
    assert seen == sorted(seen)


def test_runs_of_any_form_can_be_mixed(files, processes):
    """Paths, dicts, records, columns and rows go to the workers alike."""
    qrels, paths = files
    documents, row = {"7": {"doc3": 2.0}}, {"query": "7", "docid": "doc3", "score": 2.0}
    columns = (["7"], ["doc3"], np.array([2.0]))
    given = [paths[0], documents, run_from_dict(documents), columns, [("7", "doc3", 2.0)], [row], iter([row])]
    here = evaluate_runs(qrels, given, MEASURES, workers=1)
    there = evaluate_runs(qrels, given[:-1], MEASURES, executor=processes)
    assert values(here)[:-1] == values(there)
    assert values(here)[1:] == values(here)[1:2] * 6


def test_a_large_run_is_cut_into_ranges(files, processes, monkeypatch):
    """One run over several workers gives the values of the whole run; the ranges meet where topics begin."""
    qrels, paths = files
    ranges = engine_runs.byte_ranges(Reading.of(paths[4], Rules()), 3)
    (first, one), (start, other), (begin, end) = (part.bounds for part in ranges if part.bounds)
    text = Path(paths[4]).read_bytes()
    assert (first, one, other, end) == (0, start, begin, len(text))
    assert [text[at:].split()[0] for at in (0, one, other)] == [b"7", b"x", b"9"]
    assert {text[:at].split(b"\n")[-2].split()[0] for at in (one, other)} == {b"10", b"x"}
    monkeypatch.setattr("crosscheck.engine.streaming.rankings_of", None)  # which would read it as a whole
    monkeypatch.setattr(engine_runs, "_WORTH_WORKERS", 1)
    for workers in (2, 3, 9):
        results = evaluate_runs(qrels, paths[:1], MEASURES, executor=processes, workers=workers)
        assert values(results) == alone(qrels, paths[:1])


@pytest.mark.parametrize(
    "text",
    [
        b"7 Q0 a 1 1 t\n9 Q0 a 1 1 t\n7 Q0 doc3 1 1 t\n9 Q0 doc6 1 1 t\n",
        b"\n".join(b"%s Q0 doc%d 1 1 t" % (t, i % 7) for t in TOPICS for i in range(9)),
        b"7 Q0 a 1 1 t\n" * 1 + b"9 Q0 broken\n" + b"10 Q0 a 1 1 t\n",
        gzip.compress(b"7 Q0 doc3 1 1 t\n9 Q0 doc3 1 1 t\n"),
        b'{"7": {"doc3": 1.0}}',
        b"\n\n",
        b"7 Q0 doc3 1 1 t\n9 Q0 %s 1 1 t\n10 Q0 doc3 1 1 t\n" % (b"d" * 700),
    ],
    ids=["topics come back", "duplicates", "malformed", "gzip", "json", "blank", "long line"],
)
def test_runs_that_cannot_be_cut_are_read_as_a_whole(text, files, processes, tmp_path, monkeypatch):
    """Same values, or the same error with the right line; also of one among several runs, in a process."""
    monkeypatch.setattr(engine_runs, "_WORTH_WORKERS", 1)
    monkeypatch.setattr(engine_runs, "LONGEST_LINE", 64)
    path = tmp_path / "run"
    path.write_bytes(text)

    def outcome(work):
        try:
            return work()
        except InputError as error:
            return str(error)

    with ThreadPoolExecutor(3) as pool:
        there = outcome(lambda: values(evaluate_runs(files[0], [path], MEASURES, executor=pool, workers=3)))
    assert there == outcome(lambda: alone(files[0], [str(path)]))
    both = [files[1][0], str(path)]
    there = outcome(lambda: values(evaluate_runs(files[0], both, MEASURES, executor=processes)))
    assert there == outcome(lambda: alone(files[0], both))


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("count", [1, 5])
def test_a_script_without_an_executor_gets_processes(single, count, files):
    """workers=2 starts processes of its own, and ends them: copies of a process with a single thread (on
    Linux), new ones where there are more threads; for many runs as for the ranges of a single one."""
    code = f"""if __name__ == '__main__':
        import os, threading, crosscheck
        from crosscheck.engine import runs
        def elsewhere(work, here=os.getpid()):
            return lambda *given: 1 / 0 if os.getpid() == here else work(*given)
        runs._WORTH_WORKERS, runs._outcome, runs.part_of = 1, *map(elsewhere, (runs._outcome, runs.part_of))
        stop = threading.Event()
        if not {single}: threading.Thread(target=stop.wait).start()
        forks = []
        os.register_at_fork(before=lambda: forks.append(1))
        r = crosscheck.evaluate_runs({files[0]!r}, {files[1][:count]!r}, ['AP'], workers=2)
        print(bool(forks), len(r), *(values.means()['AP'] for values in r))
        stop.set()
    """
    command, environment = [sys.executable, "-W", "error", "-c", code], {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | environment)
    forked = single and Path("/proc/self/task").exists()
    expected = [values.means()["AP"] for values in evaluate_runs(files[0], files[1][:count], ["AP"])]
    assert done.stdout.split() == [str(forked), str(count), *map(str, expected)]
    assert not done.stderr


#: Unknown executors, no workers, and what is no run or no list of runs.
test_wrong_arguments_are_said = examples(globals(), None, engine_runs)
