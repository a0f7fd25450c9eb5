"""Counts: neighbours one step apart, in closed form."""
