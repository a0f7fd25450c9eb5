"""Requests that nobody should send, made of routes, pieces and dice."""

import json
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes, urlencode

from served_api import COUNT, MEDIAN

ASKED = [{**one, "epsilon": "0.001"} for one in (MEDIAN, COUNT)]
"""Questions that are planned beforehand, so that they are asked in no time."""
_HOLE = re.compile(r"{[^}]*}")
PIECES = (
    "SELECT", "COUNT(*)", "MEDIAN(mood)", "AVG(mood)", "TOP 3 clinic", "CORR(mood, mood)", "WHERE",
    "mood", ">", "<= 3", "GROUP BY", "clinic", "CUBE(clinic)", "BIN(mood, 2)", "IN ('A', 'B')",
    "BETWEEN", "CASE WHEN", "END", "AND", "NOT", "NULL", "IS NULL", "AS x", "HAVING", "ORDER BY",
    "FROM survey", "(", ")", "'", '"', ",", ";", "--", "/*", "1e9", "NaN", "-0", "1/0", "\x00",
    "\U0001f600", "\ud800", "OR 1=1", "%", "\\", "{", "}", "[", "UNION SELECT", "EXPLAIN", "é",
    "\u202e", "９", "DATE '2020-02-30'", "LIKE 'a%'", "9" * 300, "x" * 500,
)  # fmt: skip
NUMBERS = (
    0, -1, 1, 0.5, 1e308, -1e308, 5e-324, 10**30, -(10**400), 2**63, True, None, "", "1", "0.1",
    "-1", "1e400", "1e-400", "log 3", "log -1", "1/3", "1/0", "NaN", "Infinity", "95%", "１",
    "5 rows", "9" * 500, "0." + "3" * 300, [], {}, [1], {"a": 1}, "\ud800", "\x00", "_1", "1_0",
)  # fmt: skip
NAMES = (
    "survey", "visits", "nowhere", "clinics", "~", "..", ".", "%2e%2e", "a/b", "%00", "x" * 300,
    "\U0001f600", "survey ", "SURVEY", "-", "0", "ana", "otto", "ana:q1", "enter", "style.css",
    "../../etc/passwd", "%c0%ae", "%ff", "app.js", "{x}", "mood", "$(x)", "<b>", "'", '"', "q1",
)  # fmt: skip
FIELDS = (
    "sql", "epsilon", "within", "confidence", "loss", "prior", "require", "importance", "fresh",
    "interval", "about", "questions", "total", "plans", "statistic", "n", "low", "high", "step",
    "numbers", "name", "role", "datasets", "expires", "token", "csrf", "how", "aim", "where", "is",
    "value", "by", "width", "column", "totals", "key", "table", "why", "type", "size", "most", "k",
    "answers", "title", "note", "digest", "sketch", "level", "text", "id", "next", "since",
    "format",
)  # fmt: skip
KINDS = (
    "application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data",
    "multipart/form-data; boundary=x", "application/json; charset=utf-16", "x", "",
    "text/html; charset=undefined", "application/json;" * 20,
)  # fmt: skip
ODD_HEADERS = (
    (b"host", b"elsewhere.example"), (b"host", b"[::1"), (b"origin", b"null"), (b"origin",
    b"http://["),
    (b"x-forwarded-for", b"1.2.3.4"), (b"x-forwarded-user", b"ana"), (b"x-forwarded-user", b"\xff"),
    (b"traceparent", b"00-" + b"0" * 32 + b"-" + b"1" * 16 + b"-01"), (b"traceparent",
    b"\xff" * 60),
    (b"accept", b"text/html"), (b"accept", b"application/json"), (b"accept", b"\xff"),
    (b"accept-language", b"de;q=x"), (b"range", b"bytes=0-1,2-3,-9"), (b"if-none-match", b'"x"'),
    (b"content-length", b"99999999999999999999"), (b"content-length", b"-1"), (b"content-length",
    b"x"),
    (b"cookie", b"discreet_session=" + b"x" * 3000), (b"cookie", b"\xff=;;;=="), (b"expect",
    b"100"),
    (b"plan-digest", b"0" * 64), (b"plan-digest", b"zz"), (b"sec-fetch-site", b"cross-site"),
    (b"x-csrf-token", b"\xff"), (b"transfer-encoding", b"chunked"), (b"if-modified-since", b"x"),
    (b"accept-encoding", b"gzip;q=nan"), (b"authorization", b"Basic eA=="), (b"upgrade",
    b"websocket"),
)  # fmt: skip


BOMBS = {
    "deep": "SELECT COUNT(*) WHERE " + "(" * 3_000 + "mood > 2" + ")" * 3_000,
    "nots": "SELECT COUNT(*) WHERE " + "NOT " * 5_000 + "mood > 2",
    "long": "SELECT " + ", ".join(["COUNT(*)"] * 5_000),
    "ands": "SELECT COUNT(*) WHERE " + " AND ".join(["mood > 2"] * 5_000),
    "number": f"SELECT COUNT(*) WHERE mood > {'9' * 50_000}",
    "power": "SELECT COUNT(*) WHERE mood > 1e999999999",
    "fraction": f"SELECT QUANTILE(mood, 0.{'3' * 20_000})",
    "pattern": f"SELECT COUNT(*) WHERE clinic LIKE '{'%a' * 5_000}'",
    "words": f"SELECT COUNT(*) WHERE clinic IN ({', '.join(map(repr, range(20_000)))})",
    "quotes": "SELECT COUNT(*) WHERE clinic = '" + "''" * 20_000 + "'",
    "comment": "SELECT COUNT(*) /*" * 2_000,
    "nul": "SELECT COUNT(*)\x00",
    "surrogate": "SELECT COUNT(*) WHERE clinic = '\ud800'",
    "bins": "SELECT COUNT(*) GROUP BY BIN(mood, 1e-300)",
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request as a server hands it over."""

    method: str
    path: bytes
    query: bytes
    headers: list
    pieces: list
    peer: str
    asks: bool
    number: int

    def scope(self):
        """As ASGI says it."""
        return {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "root_path": "",
            "method": self.method, "scheme": "http", "query_string": self.query,
            "path": unquote_to_bytes(self.path).decode("utf-8", "replace"), "raw_path": self.path,
            "headers": self.headers, "client": (self.peer, 1), "server": ("127.0.0.1", 8000),
        }  # fmt: skip


class Words:
    """What requests are made of."""

    def __init__(self, dice, routes, tokens, sessions):
        self.dice, self.routes, self.tokens, self.sessions = dice, routes, tokens, sessions
        self._learned = ["q1"]
        self._granted = bytearray()
        self.told = set()
        """Receipts of answers that were told as new: one in a hundred of them."""

    def was_granted(self, id):
        """Whether an id of the ledger is of a request that was sent, and not refused."""
        found = re.search(r":k(\d+)(-\d+)?$", id)
        return found is not None and bool(self._granted[int(found[1])])

    def learn(self, request, status, body):
        """Keep names that replies tell, so that later requests meet what is there."""
        self._granted[request.number] = status < 400
        if request.asks and status == 200 and b'"free":false' in body and request.number % 100 == 0:
            self.told.add(json.loads(body)["receipt"])
        if status in (200, 202) and self.dice.random() < 0.02:
            told = re.findall(rb'"(?:id|receipt|digest)":"([^"]{1,80})"', body)
            self._learned = [
                *self._learned[-40:],
                *(one.decode("utf-8", "replace") for one in told),
            ]

    def request(self):
        """The next one."""
        dice, number = self.dice, len(self._granted)
        self._granted.append(0)
        route, methods = dice.choice(self.routes)
        if dice.random() < 0.15:
            route, methods = "/api/datasets/{dataset}/ask", ["POST"]
        path = self._path(route)
        method = (
            dice.choice(methods)
            if dice.random() < 0.9
            else dice.choice(
                ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW")
            )
        )
        headers, session = self._headers(route)
        body = (
            b""
            if method in ("GET", "HEAD") and dice.random() < 0.8
            else self._body(route, headers, session)
        )
        half = dice.randrange(len(body) + 1)
        return Request(
            method=method, path=path, query=self._query(), headers=headers,
            pieces=[body] if dice.random() < 0.9 else [body[:half], body[half:]],
            peer=dice.choice(("127.0.0.1", "127.0.0.1", "10.0.0.9", "::1", "2001:db8::7", "")),
            number=number,
            asks=path.endswith(b"/ask") and path.startswith(b"/api/"),
        )  # fmt: skip

    def _path(self, route):
        def fill(hole):
            if "dataset" in hole[0] and self.dice.random() < 0.85:
                return self.dice.choice(("survey", "visits"))
            if route.startswith(("/setup", "/api/accounts", "/accounts")):
                # Reading a table takes a process and ending an account ends this campaign: both are
                # met by names that are not there.
                return quote("x" + self.dice.choice(NAMES), safe="%/")
            if self.dice.random() < 0.3:
                return quote(self.dice.choice(self._learned))
            return quote(self.dice.choice(NAMES), safe="%/.~")

        path = _HOLE.sub(fill, route)
        if self.dice.random() < 0.05:
            path += self.dice.choice(("/", "//", "/..", "%00", "/%2e%2e/", ".json", ".csv"))
        return path.encode()

    def _query(self):
        if self.dice.random() < 0.6:
            return b""
        pairs = self._pairs(self.dice.randint(1, 4))
        told = urlencode(pairs, errors="surrogatepass").encode()
        return told if self.dice.random() < 0.9 else told + b"&%ff=%zz&&=&a[]=1"

    def _headers(self, route):
        dice, session = self.dice, None
        headers = [(b"host", b"127.0.0.1:8000")]
        who = dice.choice(
            ("ana", "ben", "otto", "otto", "cookie", "cookie", "cookie", dice.choice(("wrong", "")))
        )
        if who == "cookie" and "sign" not in route:
            session = dice.choice(list(self.sessions.values()))
            headers.append((b"cookie", f"discreet_session={session[0]}".encode()))
            if dice.random() < 0.7:
                headers.append((b"x-csrf-token", session[1].encode()))
        elif who:
            headers.append((b"authorization", f"Bearer {self.tokens.get(who, who)}".encode()))
        if dice.random() < 0.7:
            key = b"k%d" % (len(self._granted) - 1) if dice.random() < 0.9 else b"\xff:\x00"
            headers.append((b"idempotency-key", key))
        for _ in range(dice.choice((0, 0, 0, 0, 1, 2))):
            headers.append(dice.choice(ODD_HEADERS))
        if dice.random() < 0.01:
            headers += [(f"x-flood-{place}".encode(), b"y" * 100) for place in range(80)]
        return headers, session

    def _body(self, route, headers, session):
        dice, kind = self.dice, self.dice.random()
        if kind < 0.05:
            body, named = dice.randbytes(dice.randint(0, 200)), dice.choice(KINDS)
        elif kind < 0.6 or route.startswith("/api/"):
            told = self._json(route)
            body = json.dumps(told).encode() if dice.random() < 0.97 else b"[" * 5_000
            named = "application/json"
        elif kind < 0.9:
            pairs = self._pairs(dice.randint(0, 8))
            if session and dice.random() < 0.7:
                pairs.append(("csrf", session[1]))
            body = urlencode(pairs, errors="surrogatepass").encode()
            named = "application/x-www-form-urlencoded"
        else:
            name = dice.choice(FIELDS)
            body = (
                f'--x\r\nContent-Disposition: form-data; name="{name}"'
                f"{dice.choice(('', '; filename=t.csv', '; filename*=x'))}\r\n\r\n"
                f"{self._text()}\r\n--x{dice.choice(('--', '', '--junk'))}\r\n"
            ).encode("utf-8", "surrogatepass")  # fmt: skip
            named = "multipart/form-data; boundary=x"
        if dice.random() < 0.1 and body:
            place = dice.randrange(len(body))
            body = body[:place] + dice.randbytes(1) + body[place + dice.randrange(4) :]
        if dice.random() < 0.05:
            named = dice.choice(KINDS)
        headers.append((b"content-type", named.encode()))
        return body

    def _json(self, route):
        dice = self.dice
        if dice.random() < 0.4:
            told = dict(dice.choice(ASKED))
        else:
            told = {dice.choice(FIELDS): self._value() for _ in range(dice.randint(0, 5))}
            if "design" not in route:
                told |= {"sql": self._sql(), "epsilon": "0.1"}
        if "batch" in route or "basket" in route:
            told = {
                "questions": [{"sql": self._sql()} for _ in range(dice.randint(0, 3))],
                "total": "1",
            }
        if dice.random() < 0.3:
            told[dice.choice(FIELDS)] = self._value()
        return told if dice.random() < 0.97 else [told]

    def _sql(self):
        """A sentence of pieces: seldom one that can be planned, which takes a worker."""
        said = " ".join(self.dice.choices(PIECES, k=self.dice.randint(0, 9)))
        return said if self.dice.random() < 0.5 else f"SELECT {said}"

    def _pairs(self, many):
        """Fields of a form; a key is that of this request."""
        names = self.dice.choices(FIELDS, k=many)
        key = f"k{len(self._granted) - 1}"
        return [(name, key if name == "key" else self._text()) for name in names]

    def _value(self):
        return self._sql() if self.dice.random() < 0.3 else self.dice.choice(NUMBERS)

    def _text(self):
        value = self._value()
        return value if isinstance(value, str) else self.dice.choice((*NAMES, str(value)))
