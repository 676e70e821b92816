"""The command trec_eval, both living versions of it: options, formats, printing, exit codes."""
