"""Accounts kept in PostgreSQL, beside the ledger, for servers on several machines."""
