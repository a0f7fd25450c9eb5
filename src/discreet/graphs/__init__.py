"""Graphs whose nodes are databases, and the optimality theory of paper 002."""
