"""Templates to responses: one environment, everything escaped, every page with its JSON twin."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from discreet.text import brief, capital, unbroken
from discreet.web.identity import Caller

TEMPLATES = Path(__file__).parent.parent / "templates"
_ALWAYS = (
    ("/", "Datasets"),
    ("/releases", "Releases"),
    ("/workbench", "Workbench"),
    ("/help", "Help"),
)


@cache
def environment() -> Environment:
    """The templates, read once."""
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["about"] = _about
    templates.filters["capital"] = capital
    templates.globals.update(twin=None, here="", visitor=None, menu=(), again="", first=False)
    return templates


def _about(amount: str) -> str:
    """An amount of ε at a glance; what is no plain number stays as it is."""
    try:
        return brief(float(amount), 3)
    except ValueError:
        return amount


def page(
    template: str,
    caller: Caller | None,
    *,
    here: str = "",
    twin: str | None = None,
    status: int = 200,
    **facts: Any,
) -> HTMLResponse:
    """A whole page, or a piece of one, for somebody."""
    html = (
        environment()
        .get_template(template)
        .render(visitor=caller, here=here, twin=twin, menu=menu_of(caller), **facts)
    )
    return HTMLResponse(unbroken(html), status_code=status)


def menu_of(caller: Caller | None) -> tuple[tuple[str, str], ...]:
    """Where this caller can go."""
    if caller is None or not caller.is_custodian:
        return _ALWAYS
    own = [("/accounts", "Accounts"), *[("/setup", "Set up")] * caller.may_set_up]
    return (*_ALWAYS[:-1], *own, _ALWAYS[-1])


def address(path: str, query: Iterable[tuple[str, str]] = ()) -> str:
    """A link with its query."""
    written = urlencode(list(query))
    return f"{path}?{written}" if written else path
