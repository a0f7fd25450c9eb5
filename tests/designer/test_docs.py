"""The page on designs says what is so; its examples run in tests/docs."""

from pathlib import Path

from discreet.designer.cache import MOST_BYTES, VARIABLE

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "design-a-mechanism.md"


def test_the_cache_is_described_as_it_is():
    text = PAGE.read_text(encoding="utf-8")
    assert f"`{VARIABLE}`" in text
    assert f"{MOST_BYTES >> 20} MB" in text
