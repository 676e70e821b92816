"""Find the call of every everyday function, and audit it.

    python -m tests.auditing.everyday [--calls] [NAME ...]

``--calls`` leaves out the audits. Prints each function whose call or conventions are not the expected ones,
and the counts; fails if a verdict is wrong, or fewer than 95 in 100 are called as they are written for.
"""

from __future__ import annotations

import sys

from crosscheck.auditing import audit
from tests.auditing.everyday import EVERYDAY, call_of


def main(arguments: list[str]) -> int:
    """The exit code."""
    names = [name for name in arguments if name != "--calls"]
    wanted = [e for e in EVERYDAY if not names or any(name in e.target for name in names)]
    right = wrong = 0
    for one in wanted:
        found = call_of(one)
        right += str(found.call) == one.call
        if str(found.call) != one.call:
            print(f"{one.target}: {found.call or found.message} instead of {one.call}", flush=True)
        if found.call is not None and "--calls" not in arguments:
            result = audit(one.target, one.measure)
            equal = [result.conventions, *(other.conventions for other in result.alternatives)]
            known = one.changes in equal and result.verdict == ("deviates" if one.changes else "agrees")
            if not known and not (one.changes is None and "unexplained" in result.causes):
                wrong += 1
                print(f"{one.target}: {result.causes} {result.conventions} and not {one.changes}", flush=True)
    print(f"{len(wanted)} functions: {right} called as they are written for, {wrong} with another verdict")
    return int(wrong > 0 or 100 * right < 95 * len(wanted))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
