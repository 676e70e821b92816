"""Why values differ: the search for the conventions that give them, and how strong its result is."""
