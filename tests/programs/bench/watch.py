"""``python -IS watch.py OUTPUT COMMAND...``: what a command took, as JSON, with its stdout in a file.

A program of its own, and a small one, because the kernel counts the memory of whoever starts a process into
that process's peak.
"""

import json
import os
import sys
import time

start = time.perf_counter()
redirected = [(os.POSIX_SPAWN_OPEN, 1, sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ, file_actions=redirected)
_, status, usage = os.wait4(child, 0)
took = {"wall": time.perf_counter() - start, "cpu": usage.ru_utime + usage.ru_stime}
print(json.dumps(took | {"code": os.waitstatus_to_exitcode(status), "rss": usage.ru_maxrss / 1024}))
