"""The classic families, one file each."""
