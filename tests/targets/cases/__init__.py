"""The cases of ``fixtures/`` as data: each module exports ``CASES``."""
