"""Studies of systems, assessors and pools, one file each: a document, the function that makes it, its page,
and the options of its command. :data:`crosscheck.registry.STUDIES` lists them."""
