"""The curator as a service: a REST API and pages, over one process that holds the ledgers."""

import importlib.util

from discreet.errors import MissingExtra

if any(importlib.util.find_spec(name) is None for name in ("fastapi", "uvicorn", "jinja2")):
    raise MissingExtra("the server", "serve")
