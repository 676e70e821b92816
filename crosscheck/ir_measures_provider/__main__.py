"""The command ``ir_measures`` with crosscheck's provider, and the commands ``install`` and ``uninstall``."""

from __future__ import annotations

import sys

from ir_measures.__main__ import main_cli

from crosscheck import ir_measures_hook

if sys.argv[1:] in (["install"], ["uninstall"]):
    sys.exit(ir_measures_hook.command(sys.argv[1]))
main_cli()
