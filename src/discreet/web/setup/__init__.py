"""Set-up: a custodian makes a dataset file of a table, in a browser; nobody else comes near it."""
