"""Tests of crosscheck.testing: the assertions and the plugin of pytest."""
