"""Counters and a latency histogram in Prometheus' text format; nothing private is counted."""

import threading
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from discreet.text import Amount

if TYPE_CHECKING:
    from discreet.web.service import Service

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """What was served, by route and status."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: Counter[str] = Counter()

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request that was answered."""
        place = 0
        while place < len(BUCKETS) and seconds > BUCKETS[place]:
            place += 1
        with self._lock:
            self._requests[method, route, status] += 1
            self._buckets[route][place] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]

    def text(self, service: "Service") -> str:
        """Everything, as Prometheus reads it."""
        with self._lock:
            requests = sorted(self._requests.items())
            buckets = sorted((route, list(counts)) for route, counts in self._buckets.items())
            seconds = dict(self._seconds)
        lines = ["# TYPE discreet_requests_total counter"]
        lines += [
            f'discreet_requests_total{{method="{method}",route="{route}",status="{status}"}} {many}'
            for (method, route, status), many in requests
        ]
        lines.append("# TYPE discreet_request_seconds histogram")
        for route, counts in buckets:
            lines += _histogram(route, counts, seconds[route])
        lines.append("# TYPE discreet_answers_total counter")
        lines += [
            f'discreet_answers_total{{dataset="{name}"}} {many}'
            for name, many in sorted(service.asks.items())
        ]
        lines.append("# TYPE discreet_spent_epsilon gauge")
        lines += [
            f'discreet_spent_epsilon{{dataset="{served.name}"}} '
            f"{Amount(served.curator.ledger.balance().spent)}"
            for served in service.every_dataset()
        ]
        lines += ["# TYPE discreet_jobs gauge", f"discreet_jobs {service.jobs.running()}"]
        return "\n".join(lines) + "\n"


def _histogram(route: str, counts: list[int], seconds: float) -> list[str]:
    lines, total = [], 0
    for bound, many in zip([*BUCKETS, "+Inf"], counts, strict=True):
        total += many
        lines.append(f'discreet_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}')
    lines.append(f'discreet_request_seconds_sum{{route="{route}"}} {seconds:.6f}')
    lines.append(f'discreet_request_seconds_count{{route="{route}"}} {total}')
    return lines
