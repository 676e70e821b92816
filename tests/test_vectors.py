"""Claims about crosscheck.vectors: the list functions and their conventions."""

import doctest
import math
import subprocess
import sys

import numpy as np

from crosscheck import vectors
from tests.support.kept import REMEDY, Kept

NAMES = vars(vectors) | {"log2": math.log2, "math": math, "array": np.array}
EXAMPLES = Kept(__file__, **NAMES, near=lambda a, b: abs(a - b) <= math.ulp(a))


def test_examples():
    """Numbers from trec_eval, the notebook and by hand are given exactly; what makes no sense is an error."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


def test_importing_vectors_does_not_import_numpy():
    """The list functions are plain Python."""
    code = "import sys, crosscheck.vectors; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_examples_in_docstrings_are_true():
    """Every example of the documentation gives the number it prints."""
    found = doctest.testmod(vectors)
    assert (found.failed, found.attempted) == (0, 5)
