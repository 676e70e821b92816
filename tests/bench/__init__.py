"""Benchmarks: ``python -m tests.bench``; never a timed pass or fail."""
