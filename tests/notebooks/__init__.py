"""The functions of the notebooks, with the numbers that these print.

s1.py, s2.py, s3.py: test_notebooks.py
"""
