"""A curator behind a server: the same questions, over HTTP."""

import importlib.util

from discreet.errors import MissingExtra

if importlib.util.find_spec("httpx") is None:
    raise MissingExtra("the client", "client")

from discreet.client.asynchronous import AsyncClient
from discreet.client.client import Client
from discreet.client.plan import RemotePlan

__all__ = ["AsyncClient", "Client", "RemotePlan"]
