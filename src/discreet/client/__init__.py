"""A curator behind a server: the same questions, over HTTP."""

from discreet.client.client import Client
from discreet.client.plan import RemotePlan

__all__ = ["Client", "RemotePlan"]
