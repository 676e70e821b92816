"""The command on the 55 test vectors: byte for byte what both versions of the C program print."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.trec_eval.test_command import call

FOLDERS = sorted(path for path in (Path(__file__).parents[1] / "vectors").iterdir() if path.is_dir())
VERSIONS = {"te908": "9.0.8", "te10": "10.0"}

#: (vector, version) where the C program crashes: what comes out here instead (see undefined.py).
CRASHES = {
    ("14_all_minus2_second_topic", "te908"): b"map  q1 1.0000\nmap  q2 0.0000\nmap  all 0.5000\n",
    ("14_all_minus2_second_topic", "te10"): b"map  q1 1.0000\nmap  q2 0.0000\nmap  all 0.5000\n",
    ("42_trailing_comment_qrels", "te10"): b"map  q 1.0000\nmap  all 1.0000\n",
}


def called(folder: Path, version: str) -> tuple[int, bytes, str, dict[str, Any]]:
    """Exit code, stdout, stderr, and what the C program did."""
    recorded = json.loads((folder / "expected.json").read_text("utf-8"))
    words = shlex.split(recorded["command"])[1:-2]
    files = (str(folder / "qrels"), str(folder / "run"))
    return *call("--compat", VERSIONS[version], *words, *files), recorded[version]


def without_rbp(printed: bytes) -> list[bytes]:
    """The lines without 10.0's rbp, which depends on uninitialised memory there."""
    return [line for line in printed.splitlines(keepends=True) if not line.startswith(b"rbp ")]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_stdout_and_exit_code_are_those_of_the_c_program(folder, version):
    """Every byte of stdout and the exit code; and its words on stderr where it fails."""
    code, stdout, stderr, expected = called(folder, version)
    if expected["exit_code"] < 0:
        assert code == 0
        assert stdout.split() == CRASHES[folder.name, version].split()
        return
    assert code == expected["exit_code"], stderr
    wanted = expected["stdout"].encode("utf-8", "surrogateescape")
    assert without_rbp(stdout) == without_rbp(wanted)
    if version == "te908":
        assert stdout == wanted
    for line in expected["stderr"].replace("trec_eval: Can't", "\ntrec_eval: Can't").split("\n"):
        if not line.startswith("trec_eval: Quit in file"):  # it names the path it was given
            assert line in stderr


def test_rbp_is_what_its_source_means():
    """10.0's rbp where its uninitialised memory happened to be 0, and the same whatever else is asked for."""
    assert len(FOLDERS) == 55
    alone, after_ndcg = (called(folder, "te10") for folder in FOLDERS[28:30])
    assert (alone[0], alone[1].decode()) == (0, alone[3]["stdout"])
    lines = [
        [line for line in called[1].splitlines() if line[:4] == b"rbp "] for called in (alone, after_ndcg)
    ]
    assert lines[0] == lines[1] != []
