"""``python -m crosscheck``."""

import signal

# Until the command line is imported and handles it, Ctrl-C ends the process without a traceback.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from crosscheck.cli import main

if __name__ == "__main__":
    main()
