"""A ledger kept in PostgreSQL, which several servers write (docs/proofs/one-commit.md)."""
