"""``python -m tests.programs.faults [--sample N] [COMMAND...] [KIND...]``: all, or about N of each kind.

Prints what is wrong, and one line for each command and kind; ends with 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time

from tests.programs.faults.injection import KINDS, Fault, install

install()  # before anything else is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from tests.programs.faults.commands import COMMANDS  # noqa: E402
from tests.programs.faults.trial import Trials  # noqa: E402

#: Allocations by number, and pages of memory: so many that nothing here needs more.
_ALLOCATIONS, _PAGES = 60_000, 6_000


def _faults(trials: Trials, kind: str, sample: int | None) -> list[Fault]:
    """Each call fails, and the one after the last; of very many only some, fewer the later."""
    faults: list[Fault] = []
    for stays in (False, True):
        if kind == "memory":
            last, step = (_PAGES if stays else _ALLOCATIONS), 0.1
        else:
            last, step = trials.calls(kind) + 1, 0.2 if trials.command.slow else 0
        number = 1
        while number <= last:
            faults.append(Fault(kind, number, stays))
            number += max(1, int(step * number))
    if sample is None or len(faults) <= sample:
        return faults
    return random.Random(f"{trials.command.line} {kind}").sample(faults, sample)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.faults")
    parser.add_argument("--sample", type=int)
    parser.add_argument("words", nargs="*", choices=[*COMMANDS, *KINDS, []])
    given = parser.parse_args()
    commands = [name for name in COMMANDS if name in given.words] or list(COMMANDS)
    kinds = [word for word in given.words if word in KINDS] or list(KINDS)
    failed = 0
    for name in commands:
        trials = Trials(COMMANDS[name])
        for kind in filter(trials.command.kinds.__contains__, kinds):
            begin, runs = time.monotonic(), 0
            for fault in _faults(trials, kind, given.sample):
                wrong, outcome = trials.wrong(fault)
                runs += 1
                if wrong:
                    failed += 1
                    print(f"WRONG  {name}: {fault}: {'; '.join(wrong)}\n       {outcome.said()}")
            print(f"{name}, {kind}: {runs} faults, {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
