"""The REST API: a file for each kind of thing."""

from fastapi import APIRouter


def routers() -> list[APIRouter]:
    """Every router."""
    from discreet.web.api import accounts, datasets, jobs, ledger, questions, status  # noqa: PLC0415

    modules = (status, datasets, questions, ledger, jobs, accounts)
    return [module.router for module in modules]
