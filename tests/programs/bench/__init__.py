"""Benchmarks: ``python -m tests.programs.bench``; never a timed pass or fail."""
