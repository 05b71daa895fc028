"""Arguments, one series or many, files written whole: errors that say what to do."""
