"""Why values differ: the search for conventions that give them, and how strong the result is."""
