"""``python -m tests.programs.bench.versions OLD``: this checkout beside another, interleaved.

OLD is the folder of another checkout (``git worktree add OLD COMMIT``). Both have what users have: the
bytecode that an installation wrote, and files that were read before.
"""

import subprocess
import tempfile
from pathlib import Path

from tests.programs.bench.timing import COMMANDS, Rows, interleaved, options, ours, printed, summary
from tests.programs.bench.workloads import WORKLOADS

_KEYS = ("cpu", "wall", "rss")
QUICK = [name for name in COMMANDS["versions"] if name not in ("audit", "fixtures")]


def main(arguments: list[str] | None = None) -> Rows:
    parser = options(".versions", __doc__, 9)
    parser.add_argument("old", type=Path)
    parser.add_argument("--commands", nargs="*", default=QUICK, choices=list(COMMANDS["versions"]))
    given = parser.parse_args(arguments)
    here = Path(__file__).parents[3]
    asked = ["git", "-C", str(given.old), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    rows: Rows = []
    with tempfile.TemporaryDirectory(prefix="crosscheck-versions-") as scratch:
        qrels, (run,) = WORKLOADS["W2"].write(Path(scratch))
        small, (short,) = WORKLOADS["W3"].write(Path(scratch))
        files = {"Q": [str(qrels)], "R": [str(run)], "q": [str(small)], "r": [str(short)]}
        # Each from its own files, with the bytecode beside them.
        before = {
            name: ["env", "-C", str(of), "-u", "PYTHONDONTWRITEBYTECODE", f"PYTHONPATH={of}"]
            for name, of in (("new", here), ("old", given.old.resolve()))
        }
        for name in given.commands:
            line = COMMANDS["versions"][name]
            argv = {key: ours(line, files, *words) for key, words in before.items()}
            # The first round writes the bytecode.
            samples = {key: of[1:] for key, of in interleaved(argv, given.rounds + 1).items()}
            new = summary(samples, ["old"], _KEYS)[0]
            row = {"old": commit or given.old.resolve().name, "command": name}
            rows.append(row | {of: new[of] for key in _KEYS for of in (key, f"{key} / old")})
    return printed(f"{here} beside {given.old} (cpu and wall in s, rss in MB)", rows)


if __name__ == "__main__":
    main()
