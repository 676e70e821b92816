"""The whole command on damaged files; output and exit code against trec_eval 9.0.8's own C code."""

import random
from collections import Counter
from contextlib import chdir
from pathlib import Path

import pytest

from tests.measures import embedded
from tests.programs.fuzz import Example, check, example
from tests.trec_eval.test_command import on_files

AGAINST_C = pytest.mark.skipif(embedded.why_not() is not None, reason=embedded.why_not() or "")


def test_random_damage_ends_in_one_of_trec_eval_s_ways(tmp_path):
    """Output or a clear error, in both versions and all formats of judgements; the examples reach every exit
    code, because a fuzzer that only ever fails early would prove nothing."""
    rng = random.Random(0)
    codes = Counter(check(example(rng), tmp_path) for _ in range(400))
    assert set(codes) == {0, 1, 2, 4, 7}
    assert codes[0] > 80


def undefined(given: Example) -> bool:
    """Whether the C code is undefined: NUL bytes, levels of billions, -1 as a level where none is judged."""
    files = given.qrels + given.run
    if b"\0" in files or b"2147483648" in given.qrels:
        return True
    asks_for_minus_1 = "ndcg.-1=0.5" in given.options or "-1" in given.options
    return asks_for_minus_1 and b"-" in given.qrels


def held_to_c(given: list[Example], folder: Path, **more: bytes) -> set[int]:
    """The exit codes of the C program on these files and more; a negative one is a crash. Where it does not
    crash, our exit code and every byte of stdout are the same."""
    for name, content in more.items():
        (folder / name).write_bytes(content)
    # Options as the C side takes them: numbers as atol reads them, and no version.
    calls = [["0" if option == "x" else option for option in one.options[2:]] for one in given]
    files = ({"qrels": one.qrels, "run": one.run, **more} for one in given)
    theirs = embedded.ask(zip(calls, files, strict=True))
    for one, ended in zip(given, theirs, strict=True):
        if ended.code >= 0:
            options = ("--compat", "9.0.8", *one.options[2:])
            with chdir(folder):
                code, stdout, stderr = on_files(folder, *options, qrels=one.qrels, run=one.run)
            assert (code, stdout) == (ended.code, ended.stdout), (one, stderr)
    return {ended.code for ended in theirs}


@AGAINST_C
@pytest.mark.parametrize("seed", range(2))
def test_output_and_exit_code_are_those_of_the_c_program(seed, tmp_path):
    """Byte for byte the same stdout and the same exit code, whatever is wrong with the files."""
    rng = random.Random(seed)
    given = [one for one in (example(rng) for _ in range(300)) if not undefined(one)]
    assert {code for code in held_to_c(given, tmp_path) if code >= 0} == {0, 1, 2, 4, 7}


@AGAINST_C
def test_rankings_with_nan_and_with_repeated_documents_are_those_of_the_c_program(tmp_path):
    """A NaN is as high as any score, and a document may occur twice below the depth; docnos decide then, and
    of preferences the lower one."""
    rng, given = random.Random(0), []
    kinds = [(b"1 0 %b %d\n", "-m map -m ndcg -m relstring"), (b"1 g s %b %d\n", "-R prefs -m prefs_simp")]
    for line, words in kinds * 50:
        docnos = rng.sample([b"a", b"b", b"B", b"c", b"d1", b"d10"], 5)
        rows = [(docno, rng.choice([b"1", b"2", b"2.00000001", b"nan"])) for docno in docnos]
        depth, twice = rng.choice([("-M", "3"), ()]), rng.choice([[(docnos[0], b"0.5")], []])
        qrels = b"".join(line % (docno, level) for level, docno in enumerate(sorted(docnos)))
        run = b"".join(b"1 Q0 %b 1 %b t\n" % row for row in [*rows, *twice])
        given.append(Example(qrels, run, ("", "", *words.split(), "-q", *depth)))
    assert held_to_c(given, tmp_path) == {0, 4}


@AGAINST_C
def test_zscores_are_those_of_the_c_program(tmp_path):
    """-Z prints the same distances, with its own names, for missing entries too."""
    qrels = b"1 0 a 1\n1 0 b 0\n2 0 a 1\n3 0 c 1\n"
    run = b"1 Q0 a 1 1 t\n1 Q0 b 2 3 t\n2 Q0 a 1 1 t\n3 Q0 a 1 1 t\n"
    zscores = (
        b"1 map 0.25 0.5\n1 P_5 0.2 0\n1 recip_rank 0.5 0\n1 zzz 0 0\n"
        b"2 map nan 1\n2 num_ret 5 2\n2 zzz 0 0\n4 map 0 1\n4 zzz 0 0\n"
    )
    options = ("", "", "-q", "-m", "official", "-m", "relstring", "-Z", "zscores")
    assert held_to_c([Example(qrels, run, options)], tmp_path, zscores=zscores) == {0}
