"""The command trec_eval in both current versions: options, formats, printing, exit codes."""
