"""Inputs that are no text, have no end, or grow without end: one message, at once, in little memory."""

import gzip
import os
import resource
import subprocess
import sys
from contextlib import nullcontext
from functools import partial

import pytest

from crosscheck.errors import InputError, UsageError
from crosscheck.formats.source import open_input, read_input, size_of
from crosscheck.formats.trec import read_run
from tests.cli.command import arguments, environment


def _bomb(path, block, megabytes=64):
    with gzip.open(path, "wb", compresslevel=6) as file:
        for _ in range(megabytes):
            file.write(block * ((1 << 20) // len(block)))
    return str(path)


@pytest.mark.parametrize("block", [b"\n", b" ", b"1 Q0 a 1 1 t\n"])
def test_a_gzip_file_grows_to_a_hundred_times_its_size(tmp_path, block):
    """Beyond 16 MB: blank lines, one endless line and the same result again and again; in a pipe as well."""
    bomb, pipe = _bomb(tmp_path / "bomb.gz", block), str(tmp_path / "pipe")
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", f"exec cat '{bomb}' > '{pipe}'"], stderr=subprocess.DEVNULL):
        for path in (bomb, pipe):
            with pytest.raises(InputError, match=r"grows to more than 1\d MB"):
                read_run(path)
    with open_input(_bomb(tmp_path / "little.gz", block, 12), "a run") as stream:
        assert len(stream.read()) > 11 << 20


@pytest.mark.parametrize(
    ("limit", "error", "said"),
    [
        (None, InputError, "CROSSCHECK_UNPACKED_LIMIT"),
        ("30M", None, ""),
        ("10M", InputError, "more than 10 MB"),
        ("lots", UsageError, "not a size"),
    ],
)
def test_the_limit_can_be_raised_and_lowered(tmp_path, monkeypatch, limit, error, said):
    """CROSSCHECK_UNPACKED_LIMIT counts bytes and nothing else; what is not a size is said."""
    path = _bomb(tmp_path / "bomb.gz", b"word\n", 20)
    if limit is not None:
        monkeypatch.setenv("CROSSCHECK_UNPACKED_LIMIT", limit)
    with pytest.raises(error, match=said) if error else nullcontext():
        assert len(read_input(path, "text")) > 19 << 20


@pytest.mark.parametrize(
    ("read", "data", "said"),
    [
        (read_run, b"1 Q0 a 1 1 " + b"t" * (17 << 20), "a line is longer than 16 MB"),
        (read_run, b"1 Q0 a 1 1 " + b"t" * (1 << 20), ""),
        (read_run, b"1 Q0 a 1 1 t\n" * 9999 + bytes(20 << 20), "a NUL byte"),  # found in its first block
        (partial(read_input, what="text"), b"x" * (20 << 20), "a line is longer than 16 MB"),
        (partial(read_input, what="JSON"), b'\xef\xbb\xbf {"a": "' + b"x" * (20 << 20) + b'"}', ""),
    ],
    ids=["endless line", "long line", "endless NULs", "endless text", "long JSON"],
)
def test_a_line_has_an_end_unless_it_is_json(tmp_path, read, data, said):
    """Lines of more than 16 MB are refused, in blocks and in files read as a whole."""
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(InputError, match=said) if said else nullcontext():
        read(str(tmp_path / "file"))


@pytest.mark.parametrize(
    ("text", "size"),
    [("10", 10), ("3k", 3 << 10), ("2M", 2 << 20), ("1G", 1 << 30), ("0", None), ("", None), ("-1M", None),
     ("1.5G", None), ("M", None), ("1e3", None), ("²", None)],
)  # fmt: skip
def test_sizes(text, size):
    """Whole numbers with a unit of 1024; everything else is none."""
    assert size_of(text) == size


def _limited(*given, folder):
    """A command that may use 300 MB of memory and ten seconds."""

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, 300 << 20))

    return subprocess.run(
        arguments(*given), cwd=folder, env=environment(), capture_output=True, timeout=10,
        preexec_fn=limit, check=False,
    )  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_DATA counts on Linux")
@pytest.mark.parametrize(
    "command",
    ["evaluate q {} -m AP", "trec_eval q {}", "run --qrels {} --run r", "trec_eval --compat 10.0 {} r"],
)
@pytest.mark.parametrize("bomb", ["/dev/zero", "bomb.gz", "line", "binary"])
def test_bombs_are_one_message_in_little_memory(tmp_path, bomb, command):
    """Exit code 2 within seconds and 300 MB, and the message names the file."""
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    if bomb == "bomb.gz":
        _bomb(tmp_path / bomb, b"\0", 100)
    elif bomb == "line":
        with (tmp_path / bomb).open("wb") as file:
            file.truncate(1 << 30)  # without a byte on the disk
            file.seek(0)
            file.write(b"x" * (20 << 20))
    elif bomb == "binary":
        (tmp_path / bomb).write_bytes(b"\xff" * 20_000_000)
    done = _limited(*command.format(bomb).split(), folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    assert bomb.encode() in done.stderr
    assert len(done.stderr) < 2000
