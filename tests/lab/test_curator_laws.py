"""What a curator charges, keeps and tells: the laws that a single wrong word would break."""

from dataclasses import replace
from itertools import combinations

import pytest

from discreet.curator import Curator, Order
from discreet.curator.stored.matching import portions
from discreet.errors import IdTaken, PlanChanged, QuestionError
from discreet.planning.reading import Counting
from discreet.planning.settling import settled
from discreet.questions import parse_sql
from planning.facts import dataset
from small_survey import HEADER, dataset_text

ROWS = [
    f"{1 + place % 5},{10 + place % 3},{'AB'[place % 2]},{'yes' if place % 3 else 'no'}"
    for place in range(30)
]


@pytest.fixture
def curator(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "designs"))
    (tmp_path / "rows.csv").write_text("\n".join([HEADER, *ROWS]) + "\n")
    (tmp_path / "survey.toml").write_text(dataset_text())
    with Curator(tmp_path / "survey.toml", analyst="ana") as made:
        yield made


def order(curator, sql, epsilon="1", **wishes):
    return Order.of(curator.question(sql), epsilon=epsilon, **wishes)


def test_what_is_charged_is_what_the_plan_costs(curator):
    for sql, epsilon in (("SELECT COUNT(smokes)", "0.3"), ("SELECT MEDIAN(mood)", "1/3")):
        asked = order(curator, sql, epsilon)
        cost = curator.plan(asked).cost.total
        before = curator.ledger.balance().spent
        curator.ask(asked)
        assert curator.ledger.balance().spent - before == cost
        assert 0 < cost <= asked.epsilon.billionths


def test_a_plan_that_is_dearer_than_was_said_is_refused(curator):
    dear = curator.plan(order(curator, "SELECT COUNT(smokes)", "2"))
    with pytest.raises(QuestionError, match="another order"):
        curator.ask(order(curator, "SELECT COUNT(smokes)", "1"), plan=dear)
    assert curator.ledger.balance().spent == 0


ALIKE = (
    "SELECT COUNT(*) WHERE smokes AND mood > 2",
    "SELECT COUNT(*) WHERE smokes OR mood > 2",
    "SELECT COUNT(*) WHERE NOT smokes AND mood > 2",
    "SELECT COUNT(*) WHERE NOT (smokes AND mood > 2)",
    "SELECT QUANTILE(weight, 0.25)",
    "SELECT QUANTILE(weight, 0.26)",
    "SELECT COUNT(*) GROUP BY BIN(weight, 1)",
    "SELECT COUNT(*) GROUP BY BIN(weight, 0.5)",
)


def test_different_questions_have_different_digests(curator):
    """An id stands for one of them: the same digest would tell the answer of another."""
    made = {sql: curator.question(sql) for sql in ALIKE}
    for one, other in combinations(ALIKE, 2):
        assert made[one].to_dict() != made[other].to_dict()
    for sql in ALIKE[:3]:
        curator.ask(order(curator, sql, "0.5", fresh=True), question_id=f"id {sql[21:30]}")
    with pytest.raises(IdTaken):
        curator.ask(order(curator, ALIKE[1], "0.5"), question_id=f"id {ALIKE[0][21:30]}")
    with pytest.raises(IdTaken):
        curator.ask(
            order(curator, ALIKE[0], "0.5", confidence="0.9"), question_id=f"id {ALIKE[0][21:30]}"
        )


def test_an_id_of_another_analyst_is_not_told(curator):
    asked = order(curator, "SELECT COUNT(smokes)")
    curator.ask(asked, question_id="mine")
    with pytest.raises(IdTaken):
        curator.ask(asked, question_id="mine", analyst="ben")
    curator._ready.clear()
    with pytest.raises(IdTaken):
        curator.ask(asked, question_id="mine", analyst="ben")


def test_counts_are_kept_per_selection(curator):
    """All that counts depend on is in what they are kept under."""
    seen = set()
    for where in ("mood > 2", "mood > 3", "smokes", "NOT smokes"):
        ready = curator._ready.of(order(curator, f"SELECT COUNT(*) WHERE {where}"))
        (reading,) = ready.readings
        key = reading.key
        assert isinstance(key, Counting)
        assert key not in seen
        seen.add(key)
    for other in ({"places": (0, 1)}, {"values": 7}, {"select": "SELECT 1"}):
        assert replace(reading, **other).key != key


def test_an_expected_error_is_told_only_where_it_is_the_same_for_every_table(curator):
    for sql in ("SELECT COUNT(smokes)", "SELECT MEDIAN(mood)", "SELECT AVG(weight)"):
        asked = order(curator, sql)
        (part,) = curator.plan(asked).parts
        (result,) = curator.ask(asked).results
        same = part.chosen.figures.same_everywhere
        assert result.expected_error == (part.chosen.figures.expected if same else None)
    mended = order(curator, "SELECT COUNT(*) GROUP BY clinic, smokes", consistent=True)
    assert all(one.expected_error is None for one in curator.ask(mended).results)


def test_another_plan_than_the_one_that_was_shown_is_refused(curator):
    asked = order(curator, "SELECT COUNT(smokes)")
    other = curator.plan(order(curator, "SELECT COUNT(smokes)", "2")).digest
    with pytest.raises(PlanChanged, match="not the one that was shown"):
        curator.ask(asked, plan=other)
    assert curator.ledger.balance().spent == 0


def test_what_is_charged_is_not_called_free_and_fresh_is_drawn_anew(curator):
    asked = order(curator, "SELECT COUNT(smokes)", "0.5")
    first, again = curator.ask(asked), curator.ask(asked)
    assert (first.free, again.free) == (False, True)
    anew = curator.ask(order(curator, "SELECT COUNT(smokes)", "0.5", fresh=True))
    assert not anew.free
    assert anew.receipt != first.receipt
    assert curator.ledger.balance().spent == 2 * asked.epsilon.billionths


def test_an_interval_that_rests_on_a_prior_is_told_with_it_or_not_at_all(curator):
    """Without a prior no such interval is told; with one, the answer says that it is supposed."""
    (unsaid,) = curator.ask(order(curator, "SELECT MEDIAN(mood)")).results
    assert (unsaid.interval, unsaid.supposed) == (None, False)
    (said,) = curator.ask(order(curator, "SELECT MEDIAN(mood)", prior="uniform")).results
    assert said.interval is not None
    assert said.supposed


def test_what_was_told_under_other_facts_is_not_told_again(curator, monkeypatch):
    """Also by a curator that was open when somebody else wrote down other facts."""
    asked = order(curator, "SELECT COUNT(smokes)", "0.5")
    curator.ask(asked)
    assert curator.ask(asked).free
    newest = curator.ledger.entries_count()
    monkeypatch.setattr(type(curator.ledger), "resting_since", lambda _: newest)
    assert not curator.ask(asked).free


def test_counts_tell_a_quantile_only_where_the_number_of_rows_is_public():
    for public in (True, False):
        facts = dataset(30, public=public)
        asked, stored = (
            settled(parse_sql(sql, facts), facts)
            for sql in ("SELECT MEDIAN(mood)", "SELECT COUNT(*) GROUP BY mood")
        )
        assert (portions(asked, stored, facts) is not None) == public
