"""Tests of crosscheck/report/; those of pages in a browser are in tests/html/.

audit_page.py, page.py, run_page.py: test_formats.py, html/test_page.py
finding.py, json_report.py, words.py: test_outputs.py
html.py, tables.py: html/test_page.py
github.py, junit.py, markdown.py: test_hostile_ids.py
kinds.py: test_formats.py
showing.py: test_running.py
svg.py: html/test_charts.py
text.py: test_formats.py
"""
