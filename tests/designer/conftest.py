"""Designs are found anew in every test, unless the test is about the cache."""

import pytest


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_CACHE", "off")
