"""``python -m tests.programs.fuzz``: ``crosscheck trec_eval`` on damaged files; no traceback, no hang.

Each example is a small run with its judgements, some of it broken (truncated or repeated lines, columns
missing or in excess, odd bytes, huge numbers, empty files), and a random choice of options. The command is
called in this process. ``tests/trec_eval/test_against_c.py`` holds such examples against the C code.
"""

import argparse
import io
import random
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from crosscheck.trec_eval.command import trec_eval
from tests.programs.frame import Case, main, of_seeds

#: trec_eval's own, and 255 for an unusable file of ``-Z``.
ALLOWED = {0, 1, 2, 4, 7}
#: Seconds; the median is some milliseconds.
SLOW = 5.0
_OF_A_SEED = 100

_TOPICS = [b"1", b"2", b"10", b"a", b"\xff\xfe", b"#3", b"%s"]
_DOCNOS = [b"d%d" % i for i in range(8)] + [b"d\xc3\xa9", b"D1", b"x" * 70, b"{", b"#d"]
_SCORES = [b"1", b"2.5", b"0.5", b"0.500000001", b"-3", b"1e5", b"1e39", b"1e-60", b"inf", b"-inf", b"0x1p3"]
_ODD_SCORES = [b"nan", b"-nan", b"abc", b"1,5", b"1_0", b"+", b".", b"1e999", b"0" * 400, b"9" * 400, b"--1"]
_LEVELS = [b"0", b"1", b"1", b"2", b"3", b"-1", b"-2"]
_ODD_LEVELS = [b"1.9", b"abc", b"0x5", b"+2", b"300", b"1e3", b"-0", b"12", b"-9", b"00002"]
_HUGE_LEVELS = [b"100000", b"2147483648", b"99999999999999999999", b"-99999999999999999999"]
_BLANKS = [b" ", b" ", b" ", b"\t", b"  ", b" \t", b"\x0b", b"\x0c", b"\r"]
_ENDS = [b"\n"] * 8 + [b"\r\n", b" \n", b"\n\n"]
_BYTES = [b"\0", b"\xef\xbb\xbf", b"\xff", b"\x1c", b"\xc2\xa0", b"\x1b[31m"]
_BYTES += [b"#", b"\n", b"\r", b" ", b"{", b"%"]
#: What to choose from.
WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


class Example(NamedTuple):
    """Two files and the options to call the command with."""

    qrels: bytes
    run: bytes
    options: tuple[str, ...]


def example(rng: random.Random) -> Example:
    """One example; three of four files are not damaged at all."""
    formats = ["qrels"] * 12 + ["qrels_jg", "prefs"] * 2 + ["qrels_prefs", "nothing"]
    qrels_format = rng.choice(formats)
    odd = rng.random() < 0.3
    qrels = _file(rng, lambda: _judgement(rng, qrels_format, odd))
    run = _file(rng, lambda: _retrieved(rng, odd))
    if rng.random() < 0.8:
        qrels, run = _first_of_each(qrels, 3 if qrels_format == "prefs" else 2), _first_of_each(run, 2)
    if rng.random() < 0.25:
        qrels = damaged(rng, qrels)
    if rng.random() < 0.25:
        run = damaged(rng, run)
    return Example(qrels, run, _options(rng, qrels_format))


def _file(rng: random.Random, line: Callable[[], bytes]) -> bytes:
    ends = _ENDS if rng.random() < 0.1 else [b"\n"]
    return b"".join(line() + rng.choice(ends) for _ in range(rng.choice([1, 3, 10, 10, 30, 30])))


def _judgement(rng: random.Random, qrels_format: str, odd: bool) -> bytes:
    topic, docno, level = rng.choice(_TOPICS[: 7 if odd else 4]), rng.choice(_DOCNOS), rng.choice(_LEVELS)
    if odd and rng.random() < 0.2:
        level = rng.choice(_ODD_LEVELS if rng.random() < 0.9 else _HUGE_LEVELS)
    group = [rng.choice([b"g1", b"g2"])] if "jg" in qrels_format or "prefs" in qrels_format else [b"0"]
    subgroup = [rng.choice([b"s1", b"s1", b"s2"])] if qrels_format == "prefs" else []
    return _joined(rng, [topic, *group, *subgroup, docno, level], odd)


def _retrieved(rng: random.Random, odd: bool) -> bytes:
    topic, docno, score = rng.choice(_TOPICS[: 7 if odd else 4]), rng.choice(_DOCNOS), rng.choice(_SCORES)
    if odd and rng.random() < 0.2:
        score = rng.choice(_ODD_SCORES)
    further = [b"more"] if odd and rng.random() < 0.1 else []
    return _joined(rng, [topic, b"Q0", docno, b"1", score, b"tag", *further], odd)


def _joined(rng: random.Random, words: list[bytes], odd: bool) -> bytes:
    return (rng.choice(_BLANKS) if odd else b" ").join(words)


def _first_of_each(text: bytes, docno: int) -> bytes:
    """The lines of documents that have not been there under their topic."""
    kept: dict[object, bytes] = {}
    for number, line in enumerate(text.split(b"\n")):
        words = line.split()
        kept.setdefault((*words[:1], *words[docno : docno + 1]) or number, line)
    return b"\n".join(kept.values())


def damaged(rng: random.Random, text: bytes) -> bytes:
    """The text with one to three of many kinds of damage."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        first, last = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        lines = text.split(b"\n")
        i = rng.randrange(len(lines))
        line = lines[i]
        text = rng.choice([
            text[:first],
            text[first:],
            text[:first] + text[last:],
            text[:first] + rng.choice(_BYTES) + text[first:],
            text[:first] + rng.randbytes(3) + text[first + 3 :],
            *(
                b"\n".join([*lines[:i], *others, *lines[i + 1 :]])
                for others in (
                    [line, line],
                    [b" ".join(line.split()[:-1])],
                    [line + b" x"],
                    [rng.choice([b"", b" ", b"# a", b"#a b c 1"]), line],
                )
            ),
            rng.choice([b"", b"\n", b" \n\n", text + b"#\n", text + b"\n", text.replace(b"\n", b"\r")]),
        ])  # fmt: skip
    return text


def _options(rng: random.Random, qrels_format: str) -> tuple[str, ...]:
    words = ["--compat", rng.choice(["9.0.8", "9.0.8", "10.0"])]
    for option, share, values in (
        *(("-q", 0.8, ""), ("-c", 0.3, ""), ("-J", 0.2, ""), ("-n", 0.1, "")),
        *(("-l", 0.2, "0 1 2 -1 1000 x"), ("-M", 0.2, "0 1 3 x"), ("-D", 0.03, "0.1 0.a 1")),
    ):
        if rng.random() < share:
            words += [option, *([rng.choice(values.split())] if values else [])]
    words += ["-R", qrels_format] if qrels_format != "qrels" else []
    fitting = "trec_eval" if qrels_format == "qrels" or rng.random() < 0.1 else "of_other_judgements"
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        words += ["-m", rng.choice(WORDS[fitting])]
    return tuple(words)


def check(given: Example, folder: Path) -> int:
    """Call the command on an example: its exit code, which must be one of trec_eval's and come in time."""
    for name, content in (("qrels", given.qrels), ("run", given.run)):
        (folder / name).write_bytes(content)
    stderr, start = io.StringIO(), time.perf_counter()
    code = trec_eval([*given.options, f"{folder}/qrels", f"{folder}/run"], io.BytesIO(), stderr)
    assert code in ALLOWED, f"exit code {code}"
    assert (seconds := time.perf_counter() - start) < SLOW, f"{seconds:.1f} s"
    # Notes on ids that look alike are ours; the C program says nothing of them.
    said = [line for line in stderr.getvalue().splitlines() if not line.startswith("crosscheck: warning: ")]
    assert (code == 0) == (not said), f"exit code {code} with {stderr.getvalue()!r} on stderr"
    return code


def _tried(seed: int) -> tuple[str, str]:
    """The exit codes of many examples, and the first that breaks a rule."""
    rng, codes = random.Random(seed), set[int]()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(_OF_A_SEED):
            one = example(rng)
            try:
                codes.add(check(one, Path(folder)))
            except BaseException as error:
                return "broken", f"{type(error).__name__}: {error}: {one}"
    return f"exit codes {', '.join(map(str, sorted(codes)))}", ""


def _cases(given: argparse.Namespace) -> Iterator[Case]:
    return of_seeds(f"{_OF_A_SEED} examples each", _tried, given)


if __name__ == "__main__":
    sys.exit(main("tests.programs.fuzz", __doc__, _cases, each=1000))
