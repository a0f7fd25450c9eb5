"""Running the server: uvicorn over the application, quiet but for one JSON line a request."""

import asyncio
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from discreet.errors import InvalidInput
from discreet.web.app import create_app
from discreet.web.gate import JsonLines
from discreet.web.identity import noting_peer
from discreet.web.limits import protocol
from discreet.web.service import Service
from discreet.web.settings import Settings

STOP_SECONDS = 30


class _Server(uvicorn.Server):
    """Stops at SIGTERM and SIGINT, and then returns to whoever started it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        stopping = (signal.SIGTERM, signal.SIGINT)
        earlier = {one: signal.signal(one, self.handle_exit) for one in stopping}
        try:
            yield
        finally:
            for one, handler in earlier.items():
                signal.signal(one, handler)


def server_of(settings: Settings, app: Any) -> uvicorn.Server:
    """A server that finishes what it has begun when it is told to stop."""
    config = uvicorn.Config(
        _behind(settings, app),
        host=settings.host,
        port=settings.port,
        loop="auto",
        http=protocol(settings.connection_seconds),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ssl_certfile=None if settings.certificate is None else str(settings.certificate),
        ssl_keyfile=None if settings.key is None else str(settings.key),
        timeout_keep_alive=30,
        timeout_graceful_shutdown=STOP_SECONDS,
        backlog=1024,
    )
    return _Server(config)


def _behind(settings: Settings, app: Any) -> Any:
    """The application, told who is at the other end of the line, and by a proxy who is beyond."""
    if settings.behind_proxy:
        app = ProxyHeadersMiddleware(app, trusted_hosts=["127.0.0.1", "::1"])
    return noting_peer(app)


def listening(settings: Settings) -> socket.socket:
    """The socket, bound before anybody is told the address."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    sock = socket.socket(family)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((settings.host, settings.port))
        sock.listen(1024)
    except (OSError, OverflowError) as problem:
        sock.close()
        raise InvalidInput(f"cannot listen on {settings.host}:{settings.port}: {problem}") from None
    return sock


def refuse_without_accounts(settings: Settings, service: Service) -> None:
    """Without accounts, other machines are not served, nor whoever comes through a proxy."""
    if not service.has_accounts and not settings.is_loopback:
        raise InvalidInput(
            f"without accounts only this computer is served, not {settings.host}; create one with "
            "discreet token create NAME --role custodian, or leave out --host"
        )
    if not service.has_accounts and settings.sign_on_header is not None:
        raise InvalidInput(
            "single sign-on needs accounts, and there are none; create them with discreet token "
            "create NAME, or leave out --sign-on-header"
        )


@contextmanager
def logging_to_stderr(level: str) -> Iterator[None]:
    """One JSON object to a line, without data, SQL or tokens; afterwards all is as before."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    names = ("discreet.web", "uvicorn.error", "python_multipart")  # the last warns of odd forms
    loggers = [logging.getLogger(name) for name in names]
    before = [(one.handlers[:], one.propagate, one.level) for one in loggers]
    for logger, least in zip(loggers, (level.upper(), "WARNING", "ERROR"), strict=True):
        logger.handlers[:], logger.propagate = [handler], False
        logger.setLevel(least)
    try:
        yield
    finally:
        for logger, (handlers, propagate, earlier) in zip(loggers, before, strict=True):
            logger.handlers[:], logger.propagate = handlers, propagate
            logger.setLevel(earlier)


def serve(settings: Settings, announce: Callable[[Service, str], None]) -> None:
    """Serve until told to stop; `announce` is called with the address once it can be reached."""
    sock = listening(settings)
    try:
        app = create_app(settings)
        service: Service = app.state.service
        try:
            refuse_without_accounts(settings, service)
            server = server_of(settings, app)
            with server.capture_signals():
                announce(service, replace(settings, port=sock.getsockname()[1]).url)
                with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
                    runner.run(server.serve(sockets=[sock]))
        finally:
            service.close()
    finally:
        sock.close()
