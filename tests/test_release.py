"""What is released: one name on the package index, one version, and extras that exist."""

import re
import tomllib

import yaml

from tests.cli.command import ROOT
from tests.support.kept import Kept

#: All that may tell a reader to install it.
TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml", "action.yml")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "crosscheck").rglob("*.py")),
    *sorted((ROOT / ".github").rglob("*.*")),
]


def found(pattern):
    """What each of these texts says of this kind."""
    texts = ((path.name, path.read_text("utf-8")) for path in TEXTS)
    return [(name, one) for name, text in texts for one in re.findall(pattern, text)]


def held(name):
    """The content of a file of the checkout."""
    text = (ROOT / name).read_text("utf-8")
    read = {"toml": tomllib.loads, "yml": yaml.safe_load, "yaml": yaml.safe_load, "cff": yaml.safe_load}
    return read.get(name.rpartition(".")[2], str)(text)


EXAMPLES = Kept(__file__, found=found, held=held)
test_examples = EXAMPLES.test()
