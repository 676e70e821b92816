"""Files are old or new, never cut: whatever fails, and whoever else writes or reads."""

import errno
import os
import stat
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from crosscheck.formats.source import ChangedError, remove_whole, write_whole

OLD, NEW = b"old " * 5000, b"new " * 7000


@pytest.fixture
def file(tmp_path):
    """A file with content; nothing may be left beside it."""
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_bytes(OLD)
    yield path
    assert os.listdir(path.parent) == ["file"]


@pytest.mark.parametrize("stays", [True, False], ids=["from there on", "once"])
def test_every_failure_leaves_the_old_file(file, monkeypatch, stays):
    """The n-th call to the system fails, for every n until the file is written: it is old or new."""
    real = {name: getattr(os, name) for name in ("open", "fsync", "replace", "chmod", "stat")}
    outcomes = []
    for n in range(1, 30):
        calls = 0

        def failing(name):
            def call(*arguments, **keywords):
                nonlocal calls
                calls += 1
                if calls == n or (stays and calls > n):  # noqa: B023
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
        if calls < n:
            break
    assert outcomes[0]
    assert not outcomes[-1]


def test_a_full_disk_leaves_the_old_file(file):
    """Under every limit of the file size the file is old or new (a limit cuts in the middle of a write)."""
    code = """if True:
        import contextlib, resource, sys
        from crosscheck.formats.source import write_whole
        for limit in range(0, 36_000, 1500):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            failed = True
            with contextlib.suppress(OSError):
                failed = bool(write_whole(sys.argv[1], b'new ' * 7000))
            assert failed == (limit < 28_000), limit
            assert open(sys.argv[1], 'rb').read() == (b'old ' * 5000 if failed else b'new ' * 7000), limit
    """
    subprocess.run([sys.executable, "-c", code, str(file)], check=True, timeout=60)


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
