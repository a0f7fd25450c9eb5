"""From values to lines, tables and pictures for people."""
