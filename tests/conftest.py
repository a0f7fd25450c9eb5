"""One way to run the property tests: no deadlines, and far more examples in a soak."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `discreet` has it, before numpy is there

import pytest
from hypothesis import HealthCheck, settings

from ledger_fixtures import either, in_postgresql, ledgers
from postgres_server import postgres
from spark_server import spark

__all__ = ["either", "in_postgresql", "ledgers", "postgres", "spark"]

_HEALTH = [HealthCheck.too_slow]
settings.register_profile("plain", deadline=None, suppress_health_check=_HEALTH, max_examples=50)
settings.register_profile("soak", deadline=None, suppress_health_check=_HEALTH, max_examples=1000)
settings.load_profile("soak" if os.environ.get("DISCREET_SOAK") else "plain")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Pages that no browser has tested are worth more than an s among dots."""
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])]
    if any("NO BROWSER" in told for told in skipped):
        terminalreporter.section("NO BROWSER", "!", red=True, bold=True)
        terminalreporter.line("the pages were not tested end to end: install Debian's chromium")
    if any("NO SPARK" in told for told in skipped):
        terminalreporter.section("NO SPARK", "!", red=True, bold=True)
        terminalreporter.line("nothing was asked of Spark: install openjdk-17-jre-headless")
