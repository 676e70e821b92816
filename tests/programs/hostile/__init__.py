"""Metrics that misbehave, ended in every way: nothing hangs, and no process or file remains.

``python -m tests.programs.hostile`` runs all of it, in minutes; ``tests/processes/test_hostile.py``
runs a part.
"""
