"""Tests of crosscheck/inputs/."""
