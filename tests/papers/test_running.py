"""A run can be stopped and goes on; what is known is not computed again; one failure costs one."""

import pytest

from discreet.errors import DesignError
from discreet.papers import Check, Outcome, PaperItem, PrintedTable, Shelf, run_items


class Counted:
    """An item that counts how often it is computed."""

    def __init__(self, name, *, version=1, raises=None):
        self.calls, self.raises = 0, raises
        self.item = PaperItem(
            id=f"009/{name}",
            title=name,
            paper="009",
            claim="it counts",
            run=self.run,
            version=version,
        )

    def run(self, step):
        self.calls += 1
        step(0.5, "half way")
        if self.raises is not None:
            raise self.raises
        table = PrintedTable("numbers", ("x",), ((0.1,), (None,), ("a",)))
        return Outcome(
            tables=(table,),
            checks=(Check(claim="c", printed=None, ours="o", difference=None, holds=True),),
        )


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path / "kept")


def items_of(*counted):
    return [one.item for one in counted]


def test_the_second_run_computes_nothing_and_says_the_same(shelf):
    one, two = Counted("one"), Counted("two")
    first = list(run_items(items_of(one, two), shelf=shelf))
    second = list(run_items(items_of(one, two), shelf=shelf))
    assert (one.calls, two.calls) == (1, 1)
    assert [ran.outcome for ran in first] == [ran.outcome for ran in second]
    assert [ran.seconds for ran in first] == [ran.seconds for ran in second]
    assert [ran.from_cache for ran in (*first, *second)] == [False, False, True, True]


def test_a_run_that_is_stopped_goes_on_where_it_was(shelf):
    one, stopped = Counted("one"), Counted("two", raises=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        list(run_items(items_of(one, stopped), shelf=shelf))
    two = Counted("two")
    assert all(ran.holds for ran in run_items(items_of(one, two), shelf=shelf))
    assert (one.calls, two.calls) == (1, 1)


@pytest.mark.parametrize("problem", [DesignError("refused"), ZeroDivisionError("a bug")])
def test_an_item_that_fails_loses_no_other_and_is_not_kept(shelf, problem):
    one, bad, three = Counted("one"), Counted("bad", raises=problem), Counted("three")
    rans = list(run_items(items_of(one, bad, three), shelf=shelf))
    assert [ran.outcome is None for ran in rans] == [False, True, False]
    assert str(problem) in rans[1].problem
    assert not rans[1].holds
    list(run_items(items_of(one, bad, three), shelf=shelf))
    assert (one.calls, bad.calls, three.calls) == (1, 2, 1)


def test_fresh_computes_again(shelf):
    one = Counted("one")
    for fresh in (False, True, False):
        list(run_items([one.item], shelf=shelf, fresh=fresh))
    assert one.calls == 2


def test_another_version_is_another_item(shelf):
    old, new = Counted("one"), Counted("one", version=2)
    list(run_items([old.item], shelf=shelf))
    list(run_items([new.item], shelf=shelf))
    assert new.calls == 1


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"seconds": 1}', '{"outcome": {}}'])
def test_a_damaged_file_is_as_good_as_absent(shelf, damage):
    one = Counted("one")
    list(run_items([one.item], shelf=shelf))
    shelf.path(one.item).write_text(damage, "utf-8")
    (ran,) = run_items([one.item], shelf=shelf)
    assert ran.holds
    assert one.calls == 2


def test_without_a_shelf_nothing_is_kept(monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", "off")
    assert Shelf.default() is None
    one = Counted("one")
    for _ in range(2):
        list(run_items([one.item]))
    assert one.calls == 2


def test_a_forbidden_shelf_is_no_reason_to_fail(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    (ran,) = run_items([Counted("one").item], shelf=Shelf(blocked / "inside"))
    assert ran.holds


def test_somebody_can_watch(shelf):
    seen = []
    watch = lambda item, fraction, word: seen.append((item.id, fraction, word))  # noqa: E731
    list(run_items([Counted("one").item], shelf=shelf, watch=watch))
    assert seen == [("009/one", 0.0, ""), ("009/one", 0.5, "half way"), ("009/one", 1.0, "")]
