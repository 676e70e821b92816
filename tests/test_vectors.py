"""The list functions: numbers from trec_eval, the notebook and by hand are given exactly."""

from crosscheck import vectors
from tests.support.kept import Kept

EXAMPLES = Kept(__file__, **vars(vectors))
test_examples = EXAMPLES.test()
