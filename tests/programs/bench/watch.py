"""``python -IS watch.py OUTPUT COMMAND...``: what a command took, as JSON, with its stdout in a file.

A program of its own, and a small one, because the kernel counts the memory of whoever starts a process into
that process's peak.
"""

import json
import os
import sys
import time

WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def main(output: str, command: list[str]) -> None:
    start = time.perf_counter()
    redirected = [(os.POSIX_SPAWN_OPEN, 1, output, WRITE, 0o600)]
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=redirected)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    print(json.dumps({"code": code, "wall": seconds, "cpu": cpu, "rss": usage.ru_maxrss / 1024}))


main(sys.argv[1], sys.argv[2:])
