"""The page on designs says what is so."""

import re
from pathlib import Path

import pytest

from discreet.design.cache import MOST_BYTES, VARIABLE

PAGE = Path(__file__).parents[2] / "docs" / "design.md"


def test_the_example_runs_and_finds_what_it_says():
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(block, names)
    assert names["best"].value == pytest.approx(0.569997, abs=6e-7)
    assert names["best"].gap < 1e-9


def test_the_cache_is_described_as_it_is():
    text = PAGE.read_text(encoding="utf-8")
    assert f"`{VARIABLE}`" in text
    assert f"{MOST_BYTES >> 20} MB" in text
