"""Commands in which the n-th call to the system fails: results are whole or absent, and nothing is left.

``python -m tests.programs.faults`` runs all of it, in some ten minutes;
``tests/processes/test_hostile.py`` a part.
"""
