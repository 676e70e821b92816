"""The command ``ir_measures`` with ``--provider crosscheck``."""

import subprocess
import sys
from pathlib import Path

import pytest

from crosscheck.ir_measures_provider import install, uninstall

#: What a new interpreter does with the folder before it starts a command.
_START = "import runpy, site, sys; site.addsitedir(sys.argv.pop(1)); "


def command(folder, then, *words):
    code = [sys.executable, "-c", _START + then, str(folder), *words]
    return subprocess.run(code, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1])


def test_the_plain_command_knows_the_provider_once_it_is_installed(tmp_path):
    """``install`` makes ``ir_measures --provider crosscheck`` work, and ``uninstall`` undoes that."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n1 0 b 0\n")
    run.write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    start = "runpy.run_module('ir_measures', run_name='__main__', alter_sys=True)"
    words = ("--provider", "crosscheck", str(qrels), str(run), "RR", "nDCG@2")
    assert Path(install(str(tmp_path))).parent == tmp_path
    done = command(tmp_path, start, *words)
    assert (done.returncode, done.stdout) == (0, "RR\t0.5000\nnDCG@2\t0.6309\n"), done.stderr
    uninstall(str(tmp_path))
    done = command(tmp_path, start, *words)
    assert done.returncode == 2
    assert "invalid choice: 'crosscheck'" in done.stderr


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    """Installing into such a folder raises an error that names the file."""
    missing = tmp_path / "missing"
    with pytest.raises(FileNotFoundError) as error:
        install(str(missing))
    assert str(missing) in str(error.value.filename)
