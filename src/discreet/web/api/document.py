"""The OpenAPI document: what FastAPI gathers, with our refusals and the way to sign in."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from discreet.web.api.replies import Problem

OPEN = ("/health",)
"""What needs no token."""


def document(app: FastAPI) -> dict[str, Any]:
    """The whole document, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            separate_input_output_schemas=False,
        )
        parts = made.setdefault("components", {})
        schemas = parts.setdefault("schemas", {})
        schemas["Problem"] = Problem.model_json_schema()
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path, methods in made["paths"].items():
            for operation in methods.values():
                operation["security"] = [] if path in OPEN else [{"token": []}]
        app.openapi_schema = made
    return app.openapi_schema
