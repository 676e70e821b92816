"""Commands in which calls to the system fail: results are whole or absent, and nothing is left."""
