"""Designs kept on disk: what a file holds, and the shelf they stand on."""
