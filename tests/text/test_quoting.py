"""What was given is quoted shortly, whatever it is."""

from hypothesis import given
from hypothesis import strategies as st

from discreet.text import show


class Rude:
    def __repr__(self):
        raise RuntimeError("no")


@given(st.one_of(st.text(), st.binary(), st.lists(st.text()), st.integers(), st.floats()))
def test_show_is_short_and_on_one_line(value):
    text = show(value)
    assert len(text) <= 60
    assert len(text.splitlines()) <= 1


def test_show_never_fails():
    assert show(Rude()) == "a Rude"
    assert len(show(10**10000)) <= 60
    assert show("a\nb\tc") == r"'a\nb\tc'"
