"""Damaged files of every form that is read: a value, or one clear error.

python -m tests.programs.forms [--number N] [--seed S]
"""

import argparse
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from crosscheck.errors import CrosscheckError
from crosscheck.formats.trec import read_qrels, read_run

_PIECES = (
    *(b"\t", b",", b";", b'"', b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b" ", b"-1", b"1e999"),
    *(b"nan", b"0.5", b"9" * 30, b"{", b"}", b"[", b"null", b"qid", b"rank", b"score", b"\\ud800"),
)  # fmt: skip


def damaged(data: bytes, generator: random.Random) -> bytes:
    """The content with one to three changes: bytes replaced, cut or inserted, lines repeated or moved."""
    for _ in range(generator.randint(1, 3)):
        at, end = sorted((generator.randint(0, len(data)), generator.randint(0, len(data))))
        lines = data.splitlines(keepends=True)
        match generator.randrange(6):
            case 0:
                data = data[:at] + generator.choice(_PIECES) + data[at:]
            case 1:
                data = data[:at] + data[min(end, at + generator.randint(0, 8)) :]
            case 2:
                data = data[:at] + generator.randbytes(generator.randint(1, 4)) + data[at + 1 :]
            case 3 if lines:
                data = b"".join([*lines, generator.choice(lines)])
            case 4 if lines:
                generator.shuffle(lines)
                data = b"".join(lines)
            case _:
                data = data[:end]
    return data


def tried(files: Iterable[tuple[Any, ...]], path: Path, seed: int) -> Counter[str]:
    """How often damaged files are read, and end with each kind of error; what is no such error is printed."""
    generator, counts = random.Random(seed), Counter[str]()
    for noun, content, *_ in files:
        data = damaged(content if isinstance(content, bytes) else content.encode(), generator)
        path.write_bytes(data)
        try:
            (read_run if noun == "run" else read_qrels)(str(path))
            counts["read"] += 1
        except CrosscheckError as error:
            counts[type(error).__name__] += 1
        except Exception as error:
            counts[f"TRACEBACK {type(error).__name__}"] += 1
            print(repr(data), traceback.format_exc(), sep="\n")
    return counts


def main() -> int:
    from tests.formats.test_forms import READ

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts = tried(islice(cycle(READ), asked.number), Path(folder, "file"), asked.seed)
    print(*(f"{name}: {times:,}" for name, times in counts.most_common()), sep="\n")
    return int(any(name.startswith("TRACEBACK") for name in counts))


if __name__ == "__main__":
    sys.exit(main())
