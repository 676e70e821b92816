"""The functions of three notebooks, with the notebooks' names, arguments and conventions.

``s1`` takes relevance levels in rank order, ``s2`` lists of ids and data frames, ``s3`` short formulas. The
notebooks are described in ``fixtures/README.md``. The conventions are those of the profiles ``sources.S1`` to
``sources.S3``, and the numbers are those of the native measures. Where a notebook has no value (a division by
zero) the value is 0.0, and levels are whole numbers as in qrels.
"""
