"""The curator as a service: a REST API and pages, over one process that holds the ledgers."""
