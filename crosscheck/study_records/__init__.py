"""The results of the studies as records, one file per study."""
