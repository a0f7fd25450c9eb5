"""From the words of a command line to values."""
