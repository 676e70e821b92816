"""One registry of metrics that audits are tried on, and the program that audits them all."""
