"""Sets of conventions as values: equal, hashable, immutable, and with unknown axes."""

import copy
import pickle
from pathlib import Path

import pytest

from crosscheck import conventions as module
from crosscheck.conventions import profiles
from tests.support.kept import Kept

#: A profile whose ideal list is unknown, and one that fills the gap.
GAP = """
[gap]
gain = "exponential"
ideal = "unknown"
description = "made up"
evidence = "read"
source = "this test"
[heir]
base = "gap"
ideal = "retrieved"
description = "made up"
evidence = "read"
source = "this test"
"""
PROFILES = Path(module.__file__).with_name("profiles.toml")


def gapped(asked):
    """The answer to a question where these two are profiles as well."""
    Path("profiles.toml").write_text(PROFILES.read_text("utf-8") + GAP, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "__file__", str(Path("conventions.py").absolute()))
        profiles.cache_clear()
        try:
            return asked()
        finally:
            profiles.cache_clear()


def copies(one):
    """A copy, a deep one, and one from another process."""
    return copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))


EXAMPLES = Kept(__file__, AttributeError, profiles=profiles, gapped=gapped, copies=copies)
test_examples = EXAMPLES.test()
