"""Who looks at a page."""

from typing import Annotated

from fastapi import Depends

from discreet.web.identity import Caller, anybody, page_caller

Visitor = Annotated[Caller, Depends(page_caller)]
"""Somebody who has signed in, or the local custodian; forms carry the CSRF word."""

Reader = Annotated[Caller | None, Depends(anybody)]
"""Anybody at all, for what is public; None for whoever has not signed in."""
