"""Every page's route, in one router."""

from fastapi import APIRouter

from discreet.web.pages import (
    accounts,
    answers,
    ask,
    basket,
    datasets,
    examples,
    help,
    ledger,
    releases,
    setup_finish,
    setup_start,
    setup_steps,
    setup_twins,
    signing,
    tour,
    workbench,
)
from discreet.web.service import Service

PAGES = (
    *(datasets, examples, ask, basket, answers, releases, ledger),
    *(workbench, accounts, signing, help, tour),
    *(setup_twins, setup_start, setup_steps, setup_finish),
)


def router(service: Service) -> APIRouter:
    """All the pages; their state is the service's, found through the request."""
    every = APIRouter(include_in_schema=False)
    for one in PAGES:
        every.include_router(one.router)
    return every
