"""Child processes of crosscheck: each has a supervisor, and ends together with all that it started."""
