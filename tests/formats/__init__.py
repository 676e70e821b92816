"""Tests of crosscheck/formats/.

datasets.py: test_cases.py
grouping.py: axes/test_base.py
reference_reader.py: test_blocks.py
toml_table.py: test_cases.py
topics.py: test_cases.py
"""
