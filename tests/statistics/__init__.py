"""Tests of crosscheck/statistics/."""
