"""Inputs that are no text, have no end, or grow without end: one message, at once, in little memory."""

from __future__ import annotations

import gzip
import io
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from crosscheck.errors import InputError, UsageError, quoted
from crosscheck.formats.blocks import read_blocks
from crosscheck.formats.reference_reader import RUN_LINES, Rules
from crosscheck.formats.source import open_input, read_input, size_of
from crosscheck.formats.trec import read_run
from tests.cli.command import arguments, environment


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x28\xb5\x2f\xfd rest", "compressed with zstd"),
        (b"\xfd7zXZ\0 rest", "compressed with xz"),
        (b"BZh91AY&SY rest", "compressed with bzip2"),
        (b"PK\x03\x04 rest", "compressed with zip"),
        (b"1 Q0 a 1 1.0 t\r1 Q0 b 2 0.5 t\r", "carriage return"),
        (b"1 Q0 a 1 1.0 t\n1 Q0 b 2 0.5 t\r1 Q0 c 2 0.5 t\n", "carriage return"),
        (b"1 Q0 a 1 1 t\n1 Q0 b\0 1 1 t\n", "a NUL byte"),
    ],
)
def test_what_is_no_run_is_said(tmp_path: Path, data: bytes, said: str) -> None:
    """Other compressors by name; line ends of old; bytes that are no text."""
    (tmp_path / "run").write_bytes(data)
    with pytest.raises(InputError, match=said):
        read_run(str(tmp_path / "run"))


def test_carriage_returns_that_part_no_lines_are_blanks(tmp_path: Path) -> None:
    """At the end of a line, and between its six columns, as trec_eval reads them."""
    (tmp_path / "run").write_bytes(b"1 Q0 a 1\r1.0 t\r\n1 Q0 b 2 0.5 t \r\n1 Q0 c 3 0.25 t more \r\n")
    assert read_run(str(tmp_path / "run")).docnos.tolist() == [b"a", b"b", b"c"]


def _bomb(path: Path, block: bytes, megabytes: int = 64) -> str:
    with gzip.open(path, "wb", compresslevel=6) as file:
        for _ in range(megabytes):
            file.write(block * ((1 << 20) // len(block)))
    return str(path)


@pytest.mark.parametrize("block", [b"\n", b" ", b"1 Q0 a 1 1 t\n"])
def test_a_gzip_file_grows_to_a_hundred_times_its_size(tmp_path: Path, block: bytes) -> None:
    """Beyond 16 MB; blank lines, one endless line and the same result again and again."""
    with pytest.raises(InputError, match=r"grows to more than 1\d MB"):
        read_run(_bomb(tmp_path / "bomb.gz", block))
    with open_input(_bomb(tmp_path / "little.gz", block, 12), "a run") as stream:
        assert len(stream.read()) > 11 << 20


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_grows_to_no_more_than_a_file(tmp_path: Path) -> None:
    """It does not say how much was read of it; and runs of an ordinary size come through."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    for name, whole in ((_bomb(tmp_path / "bomb.gz", b"1 Q0 a 1 1 t\n"), False), (_plain(tmp_path), True)):
        with subprocess.Popen(["sh", "-c", f"exec cat '{name}' > '{pipe}'"], stderr=subprocess.DEVNULL):
            if whole:
                assert len(read_run(pipe).docnos) == 1000
            else:
                with pytest.raises(InputError, match=r"grows to more than 16 MB"):
                    read_run(pipe)


def _plain(folder: Path) -> str:
    with gzip.open(folder / "run.gz", "wb") as file:
        file.writelines(b"1 Q0 d%d 1 %d t\n" % (n, n) for n in range(1000))
    return str(folder / "run.gz")


def test_a_text_has_line_ends_unless_it_is_json(tmp_path: Path) -> None:
    """Files read as a whole, too: 20 MB of letters are refused, 20 MB of JSON in one line are not."""
    path = tmp_path / "text"
    path.write_bytes(b"x" * (20 << 20))
    with pytest.raises(InputError, match="a line of more than 16 MB"):
        read_input(str(path), "text")
    path.write_bytes(b'\xef\xbb\xbf {"a": "' + b"x" * (20 << 20) + b'"}')
    assert len(read_input(str(path), "JSON")) > 20 << 20


def test_the_limit_can_be_raised_and_lowered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CROSSCHECK_UNPACKED_LIMIT counts bytes and nothing else; what is not a size is said."""
    path = _bomb(tmp_path / "bomb.gz", b"word\n", 20)
    with pytest.raises(InputError, match="CROSSCHECK_UNPACKED_LIMIT"):
        read_input(path, "text")
    monkeypatch.setenv("CROSSCHECK_UNPACKED_LIMIT", "30M")
    assert len(read_input(path, "text")) > 19 << 20
    monkeypatch.setenv("CROSSCHECK_UNPACKED_LIMIT", "10M")
    with pytest.raises(InputError, match="more than 10 MB"):
        read_input(path, "text")
    monkeypatch.setenv("CROSSCHECK_UNPACKED_LIMIT", "lots")
    with pytest.raises(UsageError, match="not a size"):
        read_input(path, "text")


@pytest.mark.parametrize(
    ("text", "size"),
    [("10", 10), ("3k", 3 << 10), ("2M", 2 << 20), ("1G", 1 << 30), ("0", None), ("", None), ("-1M", None),
     ("1.5G", None), ("M", None), ("1e3", None), ("²", None)],
)  # fmt: skip
def test_sizes(text: str, size: int | None) -> None:
    """Whole numbers with a unit of 1024; everything else is none."""
    assert size_of(text) == size


def test_a_line_has_an_end(tmp_path: Path) -> None:
    """One of 17 MB is none; one of a megabyte is read."""
    (tmp_path / "run").write_bytes(b"1 Q0 a 1 1 " + b"t" * (17 << 20))
    with pytest.raises(InputError, match="a line of more than 16 MB"):
        read_run(str(tmp_path / "run"))
    (tmp_path / "run").write_bytes(b"1 Q0 a 1 1 " + b"t" * (1 << 20))
    assert len(read_run(str(tmp_path / "run")).tag) == 1 << 20


def test_messages_look_at_what_they_show(tmp_path: Path) -> None:
    """A message about 20 MB of binary is short, says how many bytes, and is there at once."""
    assert quoted(b"\xff" * 20_000_000, 8) == "'" + r"\xff\xff" + "…' (20000000 bytes)"
    assert quoted("\x01" * 20_000_000, 8).endswith("… (20000000 characters)".replace("… ", "…' "))
    assert quoted("é" * 5, 5) == "'ééééé'"
    assert quoted(("é" * 5).encode(), 5) == "'ééééé'"
    assert quoted(b"abcdef", 5) == "'abcde…' (6 characters)"


def _limited(*given: object, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """A command that may use 300 MB of memory and ten seconds."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, 300 << 20))

    return subprocess.run(
        arguments(*given), cwd=folder, env=environment(), capture_output=True, timeout=10,
        preexec_fn=limit, check=False,
    )  # fmt: skip


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_DATA counts on Linux")
@pytest.mark.parametrize(
    "command",
    ["evaluate q {} -m AP", "trec_eval q {}", "run --qrels {} --run r", "trec_eval --compat 10.0 {} r"],
)
@pytest.mark.parametrize("bomb", ["/dev/zero", "bomb.gz", "line", "binary"])
def test_bombs_are_one_message_in_little_memory(tmp_path: Path, bomb: str, command: str) -> None:
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


def test_a_stream_without_end_is_refused_at_its_first_block() -> None:
    """A qrels reader that is given NULs without a newline stops at the first block."""

    class Endless(io.RawIOBase):
        read_so_far = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            Endless.read_so_far += len(buffer)
            assert Endless.read_so_far < 8 << 20
            buffer[:] = bytes(len(buffer))
            return len(buffer)

    with pytest.raises(InputError, match="NUL"):
        list(read_blocks(io.BufferedReader(Endless()), "endless", RUN_LINES, Rules()))
