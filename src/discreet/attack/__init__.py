"""Attacks on what is built here: finding out, by exact law, whether a plan keeps what it says."""
