"""``python -m tests.programs.faults [--sample N] [COMMAND...] [KIND...]``: all, or about N of each kind.

What is wrong with a command is said with the fault; a table has a line for each command and kind.
"""

import os
import random
import sys
from functools import partial

from tests.programs.faults.injection import KINDS, Fault, install

install()  # before anything else is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from tests.programs.faults.trial import COMMANDS, Trials  # noqa: E402
from tests.programs.frame import Case, options, tried  # noqa: E402

#: Allocations by number, and pages of memory: so many that nothing here needs more.
_ALLOCATIONS, _PAGES = 60_000, 6_000
#: How many signals come, each at a random moment.
_SIGNALS = 200


def _faults(trials: Trials, kind: str, sample: int | None, seed: int) -> list[Fault]:
    """Each call fails, and the one after the last; of very many only some, fewer the later."""
    rng = random.Random(f"{seed} {trials.command.line} {kind}")
    if kind == "signal":
        moments = range(trials.calls(kind) + 1)
        return [Fault(kind, rng.choice(moments), stays=False) for _ in range(sample or _SIGNALS)]
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
    return rng.sample(faults, sample)


def _tried(trials: Trials, fault: Fault) -> tuple[str, str]:
    wrong, outcome = trials.wrong(fault)
    after = next((f" within {s} s" for s in (0.1, 0.3, 1) if outcome.seconds < s), " later")
    word = f"code {outcome.code}{after if fault.kind == 'signal' else ''}"
    return word, f"{'; '.join(wrong)}: {outcome.said()}" if wrong else ""


def main() -> int:
    parser = options("tests.programs.faults", __doc__)
    parser.add_argument("--sample", type=int)
    parser.add_argument("words", nargs="*", choices=[*COMMANDS, *KINDS, []])
    given = parser.parse_args()
    kinds = [word for word in given.words if word in KINDS] or list(KINDS)
    rows = []
    for name in [name for name in COMMANDS if name in given.words] or COMMANDS:
        trials = Trials(COMMANDS[name])
        cases = [
            Case(f"{name}, {kind}", f"{name}: {fault}", partial(_tried, trials, fault))
            for kind in kinds
            if kind in trials.command.kinds
            for fault in _faults(trials, kind, given.sample, given.seed)
        ]
        rows += tried(cases, given)
    return int(any(row.wrong for row in rows))


if __name__ == "__main__":
    sys.exit(main())
