"""Metrics that misbehave, ended in every way: nothing hangs, nothing is left behind.

``python -m tests.hostile`` runs all of it, in two to five minutes; ``tests/processes/test_hostile.py``
runs a part.
"""
