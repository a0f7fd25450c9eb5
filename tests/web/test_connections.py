"""Slow connections are cut, by the clock of real sockets; nobody else is kept waiting."""

import logging
import socket
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from served_api import MEDIAN, serving

SECONDS = 1.0
LATEST = 20.0
HEAD = b"POST /api/datasets/survey/plan HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("slow"), connection_seconds=SECONDS) as running:
        yield running


@contextmanager
def connected(api, **options):
    address = urlsplit(str(api.client.base_url))
    line = socket.socket()
    for option, size in options.items():
        line.setsockopt(socket.SOL_SOCKET, getattr(socket, option), size)
    line.settimeout(LATEST)
    line.connect((address.hostname, address.port))
    with line:
        yield line


def dripped(line, piece, pause=0.1):
    """Send a piece again and again; the seconds until the other side had enough."""
    started = time.monotonic()
    line.settimeout(pause)
    while time.monotonic() - started < LATEST:
        try:
            if piece:
                line.sendall(piece)
            if not line.recv(65536):
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - started


def signed(api, more=b""):
    token = api.tokens["ana"].encode()
    return HEAD + b"Authorization: Bearer " + token + b"\r\n" + more + b"\r\n"


@pytest.mark.parametrize(
    ("opening", "piece"),
    [
        (b"", b""),
        (b"GET /", b"a"),
        (b"GET /health HTTP/1.1\r\n", b"X-More: and more\r\n"),
        (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /", b"a"),
        (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\n", b"x"),
        (HEAD + b"Content-Type: application/json\r\nContent-Length: 9000\r\n\r\n", b" "),
    ],
    ids=["nothing", "first line", "headers", "second request", "body nobody reads", "body"],
)
def test_a_request_that_does_not_come_whole_is_cut(api, opening, piece):
    with connected(api) as line:
        line.sendall(opening)
        assert dripped(line, piece) < LATEST / 2


def test_a_body_that_is_awaited_is_cut_without_noise(api, caplog):
    more = b"Content-Type: application/json\r\nContent-Length: 9000\r\n"
    with connected(api) as line, caplog.at_level(logging.WARNING):
        line.sendall(signed(api, more))
        started = time.monotonic()
        assert line.recv(65536).startswith(b"HTTP/1.1 408 ")
        assert SECONDS / 2 < time.monotonic() - started < LATEST / 2
        assert line.recv(65536) == b""
    time.sleep(0.2)
    assert not caplog.records


def test_a_head_without_end_is_refused(api):
    with connected(api) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nX: " + b"x" * 100_000)
        assert line.recv(65536).startswith(b"HTTP/1.1 431 ")


def cut(line):
    """The seconds until a line that is never read from is cut; sending on tells."""
    started = time.monotonic()
    line.settimeout(0.2)
    while time.monotonic() - started < LATEST:
        try:
            line.sendall(b"G")
            time.sleep(0.1)
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - started


@pytest.mark.parametrize("last", [b"", b"\x00\r\n\r\n"], ids=["whole requests", "no request"])
def test_replies_that_nobody_takes_are_given_up(api, last):
    head = f"GET /openapi.json HTTP/1.1\r\nAuthorization: Bearer {api.tokens['ana']}\r\n\r\n"
    with connected(api, SO_RCVBUF=4096) as line:
        line.sendall(30 * head.encode() + last)
        assert cut(line) < LATEST


def test_requests_that_pile_up_before_a_reply_are_refused(api, caplog):
    with connected(api, SO_RCVBUF=4096) as line, caplog.at_level(logging.CRITICAL):
        line.sendall(2_000 * b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert dripped(line, b"") < LATEST


def test_slow_connections_keep_nobody_else_waiting(api):
    lines = []
    try:
        for _ in range(100):
            line = socket.create_connection(urlsplit(str(api.client.base_url)).netloc.split(":"))
            line.sendall(b"GET /health HTTP/1.1\r\n")
            lines.append(line)
        assert api.get("ana", "/api/me").status_code == 200
        time.sleep(3 * SECONDS)
        for line in lines:
            line.settimeout(LATEST)
            line.recv(65536)
            assert line.recv(65536) == b""
    finally:
        for line in lines:
            line.close()


def test_whoever_is_in_time_is_answered_however_small_the_pieces(api):
    api.known(MEDIAN)
    body = b'{"sql": "SELECT MEDIAN(mood)", "epsilon": "0.5"}'
    more = b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
    with connected(api) as line:
        for _ in range(3):
            for piece in (signed(api, more)[:40], signed(api, more)[40:], body[:9], body[9:]):
                line.sendall(piece)
                time.sleep(SECONDS / 20)
            reply = line.recv(65536)
            assert reply.startswith(b"HTTP/1.1 200 ")
            length = int(reply.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            got = len(reply.partition(b"\r\n\r\n")[2])
            while got < length:
                got += len(line.recv(65536))
            time.sleep(1.5 * SECONDS)


def test_a_pause_between_requests_is_no_slowness(api):
    for _ in range(3):
        assert api.get("ana", "/api/me").status_code == 200
        time.sleep(1.5 * SECONDS)
