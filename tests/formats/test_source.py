"""Files as sources: endless and growing inputs are one message, and a file that is written is old or new."""

import errno
import gzip
import os
import resource
import stat
import subprocess
import sys
import threading
from contextlib import nullcontext, suppress
from functools import partial

import pytest

from crosscheck.errors import InputError, UsageError
from crosscheck.formats.source import ChangedError, open_input, read_input, remove_whole, size_of, write_whole
from crosscheck.formats.trec import read_run
from tests.cli.command import arguments, environment

OLD, NEW = b"old " * 5000, b"new " * 7000


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
    writer = ["timeout", "60", "sh", "-c", f"exec cat '{bomb}' > '{pipe}'"]  # where nobody reads
    with subprocess.Popen(writer, stderr=subprocess.DEVNULL):
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
    [("10", 10), ("3k", 3 << 10), ("2M", 2 << 20), ("1G", 1 << 30), ("1t", 1 << 40), ("0", None), ("", None),
     ("-1M", None), ("1.5G", None), ("M", None), ("1e3", None), ("²", None)],
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


@pytest.fixture
def file(tmp_path):
    """A file with content; nothing may be left beside it, nor open."""
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_bytes(OLD)
    held = len(os.listdir("/proc/self/fd"))
    yield path
    assert os.listdir(path.parent) == ["file"]
    assert len(os.listdir("/proc/self/fd")) <= held


@pytest.mark.parametrize("stays", [True, False], ids=["from there on", "once"])
def test_every_failure_leaves_the_old_file(file, monkeypatch, stays):
    """The n-th call to the system fails, for every n until the file is written: it is old or new."""
    real = {name: getattr(os, name) for name in ("open", "fsync", "replace", "chmod", "stat")}
    outcomes = []
    for n in range(1, 30):
        calls = list[str]()

        def failing(name):
            def call(*arguments, **keywords):
                calls.append(name)  # noqa: B023
                if len(calls) == n or (stays and len(calls) > n):  # noqa: B023
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                return real[name](*arguments, **keywords)

            return call

        file.write_bytes(OLD)
        with monkeypatch.context() as patch:
            for name in real:
                patch.setattr(os, name, failing(name))
            failed = True
            with suppress(OSError):
                failed = bool(write_whole(str(file), NEW))
        assert file.read_bytes() == (OLD if failed else NEW)
        assert os.listdir(file.parent) == ["file"]
        outcomes.append(failed)
        if len(calls) < n:
            break
    assert outcomes[0]
    assert not outcomes[-1]
    assert calls == ["stat", "open", "chmod", "fsync", "replace", "open", "fsync"]  # file and folder


def test_links_are_followed_only_where_the_user_named_them(file, tmp_path):
    """A typed link stays one, and its target is replaced; at a path of our own it is refused."""
    link = tmp_path / "link"
    link.symlink_to(file)
    with pytest.raises(OSError, match="symbolic link"):
        write_whole(str(link), NEW, typed=False)
    assert file.read_bytes() == OLD
    write_whole(str(link), NEW)
    assert link.is_symlink()
    assert file.read_bytes() == NEW


def test_what_is_no_file_is_written_to_as_it_stands(tmp_path, file):
    """A pipe stays a pipe, a device a device, and /dev/stdout goes where stdout goes, file or not."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(str(pipe), NEW)
    reader.join(10)
    assert read == [NEW]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_whole(os.devnull, NEW)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    code = "from crosscheck.formats.source import write_whole\nwrite_whole('/dev/stdout', b'said')"
    inode = file.stat().st_ino
    with file.open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True, timeout=60)
    assert (file.read_bytes(), file.stat().st_ino) == (b"said", inode)


def test_a_file_that_was_changed_meanwhile_is_not_replaced(file, tmp_path):
    """Neither one with another content, nor one that was not there, nor one that is gone."""
    write_whole(str(file), NEW, was=OLD)
    with pytest.raises(ChangedError, match="changed"):
        write_whole(str(file), b"other", was=OLD)
    with pytest.raises(ChangedError):
        write_whole(str(file), b"other", was=None)
    assert file.read_bytes() == NEW
    with pytest.raises(ChangedError):
        write_whole(str(tmp_path / "gone"), b"other", was=OLD)
    assert not (tmp_path / "gone").exists()
    write_whole(str(tmp_path / "made"), b"x", was=None)
    with pytest.raises(ChangedError):
        remove_whole(str(tmp_path / "made"), OLD)
    remove_whole(str(tmp_path / "made"), b"x")
    assert not (tmp_path / "made").exists()
