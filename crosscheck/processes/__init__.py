"""Child processes of crosscheck. Each has a supervisor, which ends it with all processes that it started."""
