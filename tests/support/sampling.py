"""Samples of slow cases, so that all tests take minutes. ``CROSSCHECK_WHOLE=1 pytest`` runs every case."""

import os

#: Whether every case is asked for.
WHOLE = bool(os.environ.get("CROSSCHECK_WHOLE"))
