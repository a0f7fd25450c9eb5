"""The pages: plain forms and links that work without JavaScript, each with a JSON twin."""

from discreet.web.pages.errors import refused
from discreet.web.pages.routes import router

__all__ = ["refused", "router"]
