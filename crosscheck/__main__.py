"""``python -m crosscheck``."""

from crosscheck.cli import main

if __name__ == "__main__":
    main()
