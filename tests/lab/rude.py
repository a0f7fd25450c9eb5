"""Rude clients of a real server on this machine: `python tests/lab/rude.py` writes down what came.

Hundreds of lines that send a byte at a time, bodies without end, and heads without
end; meanwhile somebody honest is served. `planted` is a server that waits for slow lines:
then they are all still there.
"""

import json
import socket
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from lab.abuse_words import BOMBS
from lab.flood import memory
from lab.written import add
from served_api import serving

WRITTEN = Path(__file__).parent / "abuse.json"
PATIENCE = 0.5
"""Seconds after which a line is cut."""
_HEAD = b"POST /api/datasets/survey/plan HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def campaign(folder, many, *, planted=False):
    """So many lines of each kind; what became of them, and how long the honest one waited."""
    seconds = 600.0 if planted else PATIENCE
    with serving(folder, rate=1e9, anonymous_rate=1e9, connection_seconds=seconds) as api:
        port = api.client.base_url.port
        api.get("ana", "/api/me")
        found = {"lines": 0, "held": 0, "slowest": 0.0, "megabytes": 0}
        before = memory()
        _slow_heads(api, port, many, found)
        _bodies_without_end(port, max(1, many // 10), found)
        _heads_without_end(port, max(1, many // 10), found)
        found["megabytes"] = (memory() - before) >> 20
    return found


def _opened(port):
    made = socket.create_connection(("127.0.0.1", port), timeout=10)
    made.settimeout(0.05)
    return made


def _slow_heads(api, port, many, found):
    """A byte now and then, for longer than a line may be slow."""
    lines = [_opened(port) for _ in range(many)]
    until = time.monotonic() + 3 * PATIENCE
    for at in range(1_000):
        if time.monotonic() > until:
            break
        for line in lines:
            _send(line, _HEAD[at : at + 1])
        begun = time.perf_counter()
        assert api.get("ana", "/api/me").status_code == 200
        found["slowest"] = max(found["slowest"], time.perf_counter() - begun)
        time.sleep(0.1)
    found["lines"] += many
    found["held"] += sum(not _is_cut(line, 0.2) for line in lines)
    for line in lines:
        line.close()


def _bodies_without_end(port, many, found):
    """Chunk after chunk, six megabytes of them."""
    for _ in range(many):
        with _opened(port) as line:
            _send(line, _HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
            for _ in range(100):
                _send(line, b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            found["lines"] += 1
            found["held"] += not _is_cut(line)


def _heads_without_end(port, many, found):
    for _ in range(many):
        with _opened(port) as line:
            _send(line, _HEAD)
            for at in range(2_000):
                if not _send(line, b"X-%d: %s\r\n" % (at, b"y" * 100)):
                    break
            found["lines"] += 1
            found["held"] += not _is_cut(line)


def bombs(api):
    """Deep and long SQL: how many, and how many replies were bugs."""
    found = {"bombs": 0, "bugs": 0}
    for text in BOMBS.values():
        body = json.dumps({"sql": text, "epsilon": "1"}).encode()
        kind = {"Content-Type": "application/json"}
        reply = api.call("ana", "POST", "/api/datasets/survey/plan", content=body, headers=kind)
        found["bombs"] += 1
        found["bugs"] += reply.status_code >= 500
    return found


def _send(line, piece):
    try:
        line.sendall(piece)
    except OSError:
        return 0
    return len(piece)


def _is_cut(line, wait=2 * PATIENCE):
    """Whether the server has ended a line: by the end of what it sends."""
    line.settimeout(wait)
    try:
        while line.recv(65_536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as other:
        told = campaign(Path(place), 500)
        with serving(Path(other)) as served:
            told |= bombs(served)
    told["slowest"] = round(told["slowest"], 2)
    print(told)
    add(WRITTEN, "rude clients", told, most=("slowest", "megabytes"))
