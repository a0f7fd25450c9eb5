"""What a stored release tells is told for free: to whom it was released, under its facts."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from discreet.budget import audit
from discreet.curator import Curator, Order, acknowledge_loss, open_dataset
from discreet.errors import FactsChanged, GoalError, IdTaken, OverBudget, PlanChanged
from discreet.web.pages.plans import PlanView
from small_survey import WEIGHT, with_gaps

TABLE = "SELECT COUNT(*) GROUP BY clinic, smokes"
PARTS = (
    "SELECT COUNT(*) GROUP BY clinic",
    "SELECT COUNT(*) GROUP BY smokes, clinic",
    "SELECT COUNT(smokes)",
    "SELECT COUNT(*) AS both WHERE smokes AND clinic = 'A'",
    "SELECT COUNT(*), COUNT(smokes) WHERE clinic IN ('A', 'B')",
)


def _spent(survey):
    return survey.curator.ledger.balance().spent


@pytest.mark.parametrize("sql", PARTS)
def test_a_part_is_free_and_says_where_it_comes_from(survey, sql):
    table = survey.sql(TABLE).ask(epsilon=1)
    spent, entries = _spent(survey), survey.curator.ledger.entries()
    shown = survey.sql(sql).plan(epsilon=1)
    assert shown.cost.total == 0
    assert table.receipt in str(shown)
    answer = survey.sql(sql).ask(epsilon=1)
    assert (answer.free, answer.epsilon, answer.receipt) == (True, "0", table.receipt)
    assert f"({table.receipt}), no charge" in str(answer)
    assert answer.to_dict()["from"]["receipt"] == table.receipt
    assert _spent(survey) == spent
    assert survey.curator.ledger.entries() == entries


def test_how_many_rows_there_are_is_no_part_of_a_release_where_everybody_knows(survey):
    """It was told as noise added up, beside an exact answer."""
    survey.sql(TABLE).ask(epsilon=1)
    answer = survey.sql("SELECT COUNT(*)").ask(epsilon=1)
    assert (answer.results[0].mechanism, answer.value) == ("known to everybody", 30)
    assert "earlier answer" not in str(survey.sql("SELECT COUNT(*)").plan(epsilon=1))


def test_single_groups_keep_value_and_interval(survey):
    table = survey.sql(TABLE).ask(epsilon=1)
    turned = survey.sql("SELECT COUNT(*) AS n GROUP BY smokes, clinic").ask(epsilon=1)
    told = {(r.groups[0][1], r.groups[1][1]): (r.value, r.interval) for r in table.results}
    again = {(r.groups[1][1], r.groups[0][1]): (r.value, r.interval) for r in turned.results}
    assert told == again
    assert {r.label for r in turned.results} == {"n"}


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("VAR_SAMP(weight)", "STDDEV(weight)"),
        ("STDDEV_SAMP(weight)", "VARIANCE(weight)"),
        ("VAR_POP(mood)", "STDDEV_POP(mood)"),
    ],
)
@pytest.mark.parametrize("rows", ["", " GROUP BY clinic", " WHERE smokes"])
def test_a_deviation_is_the_root_of_the_variance_that_was_told(survey, told, asked, rows):
    first = survey.sql(f"SELECT {told}{rows}").ask(epsilon=5)
    second = survey.sql(f"SELECT {asked}{rows}").ask(epsilon=5)
    assert (second.free, second.receipt) == (True, first.receipt)
    for one, other in zip(first.results, second.results, strict=True):
        variance, root = (one, other) if told.startswith("VAR") else (other, one)
        assert variance.group == root.group
        if variance.value is None or root.value is None:  # too few rows
            assert (variance.value, variance.interval) == (root.value, root.interval)
            continue
        assert float(variance.value) ** 0.5 == pytest.approx(float(root.value), abs=0.002)
        low, high = root.interval
        if asked.startswith("STDDEV"):
            assert low**2 <= variance.interval[0] <= variance.interval[1] <= high**2
        else:
            assert variance.interval == (low**2, high**2)
        assert other.mechanism == f"{one.mechanism}, read from an earlier answer"


@pytest.mark.parametrize("told", ["VARIANCE(weight)", "STDDEV_POP(weight)"])
@pytest.mark.parametrize("rows", ["", " GROUP BY clinic", " WHERE smokes"])
def test_a_variance_tells_the_mean_and_the_number_of_its_rows_besides(survey, told, rows):
    first = survey.sql(f"SELECT {told}{rows}").ask(epsilon=30)
    spent = _spent(survey)
    mean = survey.sql(f"SELECT AVG(weight){rows}").ask(epsilon=30)
    assert (mean.free, mean.receipt) == (True, first.receipt)
    count = survey.sql(f"SELECT COUNT(*){rows}").ask(epsilon=30)
    assert count.free == bool(rows)  # else it is public
    if rows:
        both = survey.sql(f"SELECT COUNT(*), AVG(weight){rows}").plan(epsilon=30)
        assert both.cost.total == 0
    assert _spent(survey) == spent
    told_ones = zip(first.results, mean.results, count.results, strict=True)
    for one, other, many in told_ones:
        assert one.group == other.group == many.group
        if rows:
            assert many.value == one.rows_about
            assert many.interval[0] <= many.value <= many.interval[1]
        assert (one.value is None) == (other.value is None)  # too few rows
        if one.value is not None:
            assert other.interval[0] <= other.value <= other.interval[1]


def test_a_mean_of_other_rows_than_those_of_a_variance_is_paid_for(survey):
    survey.sql("SELECT VARIANCE(weight) WHERE smokes").ask(epsilon=1)
    for sql in ("AVG(weight)", "AVG(mood) WHERE smokes", "COUNT(*) WHERE mood > 1"):
        assert survey.sql(f"SELECT {sql}").plan(epsilon=1).cost.total > 0
    asked = survey.sql("SELECT AVG(weight) WHERE smokes")
    assert asked.plan(epsilon=1).cost.total == 0
    assert asked.plan(epsilon=1, about="population").cost.total > 0


def test_a_deviation_of_another_kind_or_of_other_rows_is_paid_for(survey):
    survey.sql("SELECT VAR_SAMP(weight)").ask(epsilon=1)
    for sql in ("STDDEV_POP(weight)", "STDDEV(mood)", "STDDEV(weight) WHERE smokes"):
        assert survey.sql(f"SELECT {sql}").plan(epsilon=1).cost.total > 0
    assert survey.sql("SELECT STDDEV(weight)").plan(epsilon=1).cost.total == 0


@pytest.mark.parametrize("wishes", [{}, {"unbiased": True}, {"consistent": True}])
def test_groups_add_up(survey, wishes):
    table = survey.sql(TABLE).ask(epsilon=4, **wishes)
    margin = survey.histogram("clinic").ask(epsilon=4, **wishes)
    for name, value in margin.value.items():
        cells = [one for one in table.results if one.groups[0][1] == name]
        drawn = sum(one.drawn for one in cells)
        clamped = min(max(drawn, 0), 30)
        told = sum(one.value for one in cells)
        assert value == (drawn if "unbiased" in wishes else told if wishes else clamped)
        low, high = margin.interval[name]
        assert low <= value <= high
        assert high - low <= 2 * 5  # the noise of two cells of six, at ε = 4
        (line,) = [one for one in margin.results if one.group == name]
        assert line.mechanism.endswith("2 added up" if wishes else "2 added up before clamping")
    assert (margin.expected_error["A"] is None) == ("consistent" in wishes)


def test_a_sum_that_is_not_that_of_the_released_counts_says_so(make):
    """In one table of four, the two counts of no rows have noise on either side of 0."""
    with open_dataset(make(total="99")) as survey:
        for _ in range(60):
            table = survey.sql(TABLE).ask(epsilon=1, fresh=True)
            margin = survey.histogram("clinic").ask(epsilon=1)
            assert margin.receipt == table.receipt
            for line in margin.results:
                shown = sum(one.value for one in table.results if one.groups[0][1] == line.group)
                if shown != line.value:
                    assert "2 added up before clamping" in line.mechanism
                    return
    pytest.fail("no count was below 0")


def test_a_statistic_of_several_is_a_part(survey):
    several = survey.sql(
        "SELECT QUANTILE(mood, 0.25), MEDIAN(mood), AVG(weight), COUNT(smokes) GROUP BY clinic"
    ).ask(epsilon=20)
    by_name = {(one.group, one.label): one for one in several.results}
    one = survey.sql("SELECT AVG(weight) AS kg WHERE clinic = 'B'").ask(epsilon=20)
    stored = by_name["B", "AVG(weight)"]
    assert (one.value, one.interval) == (stored.value, stored.interval)
    two = survey.sql("SELECT COUNT(smokes), QUANTILE(mood, 0.5) GROUP BY clinic").ask(epsilon=1)
    assert two.free
    assert two.value["A QUANTILE(mood, 0.5)"] == (by_name["A", "MEDIAN(mood)"].value)


def test_a_part_says_nothing_of_what_is_not_told(make):
    """That nobody counted the filled cells of one column is no word on another."""
    file = make("size = 600", rows=[f"{1 + one % 5},{10 + one % 3},A,yes" for one in range(600)])
    file.write_text(file.read_text().replace(WEIGHT, with_gaps(WEIGHT)))
    with open_dataset(file) as survey:
        both = survey.sql("SELECT MEDIAN(weight), MEDIAN(mood)").ask(epsilon=1)
        (line,) = both.uncounted
        assert line.startswith("of MEDIAN(weight), if at least 300 of 600 cells are filled")
        assert survey.sql("SELECT MEDIAN(mood)").ask(epsilon=0.1).uncounted == ()
        assert survey.sql("SELECT MEDIAN(weight)").ask(epsilon=0.1).uncounted == (line,)


@pytest.mark.parametrize(
    ("sql", "wishes"),
    [
        ("SELECT COUNT(*) GROUP BY clinic, mood", {"epsilon": 1}),
        ("SELECT COUNT(*) WHERE smokes OR clinic = 'A'", {"epsilon": 1}),
        ("SELECT COUNT(smokes), MEDIAN(mood)", {"epsilon": 1}),
        ("SELECT SHARE(smokes)", {"epsilon": 1}),
        ("SELECT COUNT(smokes)", {"epsilon": "1.000000001"}),
        ("SELECT COUNT(smokes)", {"epsilon": 1, "confidence": "99%"}),
        ("SELECT COUNT(smokes)", {"epsilon": 1, "unbiased": True}),
        ("SELECT COUNT(smokes)", {"epsilon": 1, "about": "population"}),
        ("SELECT COUNT(smokes)", {"epsilon": 1, "fresh": True}),
        ("SELECT COUNT(smokes)", {"within": 3}),
    ],
)
def test_what_is_no_part_is_paid_for(survey, sql, wishes):
    survey.sql(TABLE).ask(epsilon=1)
    before = _spent(survey)
    answer = survey.sql(sql).ask(**wishes)
    assert not answer.free
    assert _spent(survey) > before


def test_an_accuracy_is_kept_or_paid_for(survey):
    survey.sql(TABLE).ask(epsilon=1)
    wide = survey.count("smokes").ask(within=7)
    assert wide.free
    assert not survey.count("smokes").ask(within=2).free
    assert survey.count("smokes").ask(within=3).free  # from the one before


def test_a_sum_promises_the_reach_of_all_its_noises_and_no_less(survey):
    """Three cells are added up: what is free is what their sum keeps, not what one of them does."""
    survey.sql(TABLE).ask(epsilon=1)
    told = survey.count("smokes").ask(epsilon=1)
    reach = max(told.value - told.interval[0], told.interval[1] - told.value)  # one may be cut off
    assert told.free
    assert survey.count("smokes").ask(within=reach).free
    assert not survey.count("smokes").ask(within=reach - 1).free


def test_what_was_made_to_fit_keeps_no_promise(survey):
    """It may be farther off than what was drawn: what is refused is refused, stored or not."""
    survey.sql(TABLE).ask(epsilon=1, consistent=True)
    assert survey.histogram("clinic").ask(epsilon=1, consistent=True).free
    with pytest.raises(GoalError, match="within is not available with consistent"):
        survey.histogram("clinic").ask(within=14, consistent=True)


def test_sums_are_told_of_the_table_alone(survey):
    """What sampling adds to the interval of a sum is not known from its parts."""
    survey.sql(TABLE).ask(epsilon=1, about="population")
    assert not survey.histogram("clinic").ask(epsilon=1, about="population").free


def test_sums_without_a_law_are_not_served(make):
    """Groups whose noise is drawn one by one: of their sums no exact interval is known."""
    privacy = 'neighbours = "add-or-remove"\nsize_at_most = 40'
    with open_dataset(make(privacy)) as survey:
        survey.sql(TABLE).ask(epsilon=1)
        assert survey.sql("SELECT COUNT(*) WHERE smokes AND clinic = 'A'").ask(epsilon=1).free
        assert not survey.histogram("clinic").ask(epsilon=1).free


def test_the_newest_release_serves(survey):
    first = survey.sql(TABLE).ask(epsilon=1)
    second = survey.sql(TABLE).ask(epsilon=1, fresh=True)
    assert survey.count("smokes").ask(epsilon=1).receipt == second.receipt != first.receipt
    third = survey.count("smokes").ask(epsilon=1, fresh=True)
    assert survey.count("smokes").ask(epsilon=1).receipt == third.receipt
    assert survey.histogram("clinic").ask(epsilon=1).receipt == second.receipt
    cheap = survey.count("smokes").ask(epsilon="0.1", fresh=True)
    assert survey.count("smokes").ask(epsilon=1).receipt == third.receipt
    assert survey.count("smokes").ask(epsilon="0.1").receipt == cheap.receipt


def test_one_draw_for_all_groups_costs_every_billionth_that_was_asked(survey):
    totals = "SELECT COUNT(*) GROUP BY ROLLUP(clinic, smokes)"
    first = survey.sql(totals).ask(epsilon="0.500000001")
    assert first.epsilon == "0.500000001"
    assert survey.sql(totals).ask(epsilon="0.500000001").receipt == first.receipt
    assert not survey.sql(totals).ask(epsilon="0.500000002").free


def test_what_others_were_told_is_not_told_for_nothing(make):
    file = make()
    with open_dataset(file) as ours, open_dataset(file, analyst="bob") as theirs:
        table = ours.sql(TABLE).ask(epsilon=1)
        assert theirs.count("smokes").plan(epsilon=1).cost.total == 10**9
        assert not theirs.count("smokes").ask(epsilon=1).free
        assert ours.count("smokes").ask(epsilon=1).receipt == table.receipt


def test_an_id_stays_what_it_was(survey):
    first = survey.sql(TABLE).ask(epsilon=1)
    spent = _spent(survey)
    given = survey.count("smokes").ask(epsilon=1, id="mine")
    assert (given.receipt, given.free, given.epsilon) == ("mine", True, "0")
    assert given.origin.receipt == first.receipt
    survey.sql(TABLE).ask(epsilon=1, fresh=True)
    for fresh in (False, True):
        again = survey.count("smokes").ask(epsilon=1, id="mine", fresh=fresh)
        assert again.results == given.results
        assert again.origin == given.origin
    assert survey.curator.stored("mine").results == given.results
    with pytest.raises(IdTaken):
        survey.count("mood > 2").ask(epsilon=1, id="mine")
    with pytest.raises(IdTaken):
        survey.histogram("clinic").ask(epsilon=1, id="mine")
    assert _spent(survey) == 2 * spent
    charges = [e for e in survey.curator.ledger.entries() if e.kind == "charge"]
    assert [e.billionths for e in charges] == [10**9, 0, 10**9]
    assert survey.curator.ledger.audit().clean


def test_what_was_confirmed_is_what_happens(survey):
    curator = survey.curator
    order = Order.of(curator.question("SELECT COUNT(smokes)"), epsilon=1)
    drawn = curator.plan(order)
    table = survey.sql(TABLE).ask(epsilon=1)
    free = curator.plan(order)
    assert (drawn.cost.total, free.cost.total) == (10**9, 0)
    assert curator.ask(order, plan=drawn).epsilon == "1"  # as it was shown
    survey.sql(TABLE).ask(epsilon=1, fresh=True)
    assert curator.ask(order, plan=free).origin.receipt == table.receipt  # though others tell it
    with pytest.raises(PlanChanged):
        curator.ask(replace(order, fresh=True), plan=free)
    assert curator.ask(order).origin.receipt != table.receipt


def test_other_facts_are_other_answers(make):
    file = make()
    with open_dataset(file) as survey:
        survey.sql(TABLE).ask(epsilon=1)
    file.write_text(file.read_text().replace("high = 5", "high = 6"))
    with Curator(file) as curator:
        order = Order.of(curator.question("SELECT COUNT(smokes)"), epsilon=1)
        assert curator.plan(order).cost.total == 10**9
        curator.ledger.acknowledge_premises("moods up to six")
        assert not curator.ask(order).free
        assert curator.ask(order).free


def test_another_source_is_another_table(make, tmp_path):
    file = make()
    with open_dataset(file) as survey:
        survey.sql(TABLE).ask(epsilon=1)
    (tmp_path / "rows.csv").rename(tmp_path / "other.csv")
    file.write_text(file.read_text().replace("rows.csv", "other.csv"))
    with Curator(file) as curator:
        curator.ledger.acknowledge_premises("moved")
        order = Order.of(curator.question("SELECT COUNT(smokes)"), epsilon=1)
        assert not curator.ask(order).free


def test_rows_of_another_version_are_another_table(make):
    """Whether rows have changed nobody looks at; the custodian says so, and it is recorded."""
    file = make()
    with open_dataset(file) as survey:
        survey.sql(TABLE).ask(epsilon=1)
    source = file.parent / "rows.csv"
    source.write_text(source.read_text().replace(",A,", ",B,"))
    with Curator(file) as curator:
        order = Order.of(curator.question("SELECT COUNT(smokes)"), epsilon=1)
        assert curator.ask(order).free
    file.write_text(file.read_text().replace("[source]", '[source]\nversion = "March"'))
    with Curator(file) as curator:
        with pytest.raises(FactsChanged, match=r"source\.version"):
            curator.ask(order)
        curator.ledger.acknowledge_premises("new rows")
        assert not curator.ask(order).free
        assert curator.ask(order).free


def test_values_in_another_order_are_not_mixed_up(make):
    file = make(total="70")
    with open_dataset(file) as survey:
        survey.sql("SELECT COUNT(clinic = 'A'), MEDIAN(mood) GROUP BY smokes").ask(epsilon=5)
        table = survey.sql(TABLE).ask(epsilon=20)
    file.write_text(file.read_text().replace('["A", "B"]', '["B", "A"]'))
    with open_dataset(file) as survey:
        assert not survey.sql("SELECT COUNT(clinic = 'A') GROUP BY smokes").ask(epsilon=5).free
        assert not survey.sql(TABLE).ask(epsilon=20).free
        by_smoking = survey.sql("SELECT COUNT(*) GROUP BY smokes").ask(epsilon=20)
        assert by_smoking.receipt != table.receipt


def test_conditions_on_values_in_another_order_are_not_mixed_up(make):
    """What was asked of one word is no answer for the word that has its place by now."""
    file = make(total="100")
    with open_dataset(file) as survey:
        survey.sql("SELECT COUNT(*) WHERE clinic = 'A'").ask(epsilon=3)
    file.write_text(file.read_text().replace('["A", "B"]', '["B", "A"]'))
    with open_dataset(file) as survey:
        assert not survey.sql("SELECT COUNT(*) WHERE clinic = 'B'").ask(epsilon=3).free


def test_after_a_loss_what_is_stored_is_still_told(make):
    file = make()
    with open_dataset(file) as survey:
        table = survey.sql(TABLE).ask(epsilon=1)
        kept = {path: path.read_bytes() for path in file.parent.glob("survey.ledger*")}
        survey.median("mood").ask(epsilon=1)
        dataset = survey.curator.dataset
    for path, content in kept.items():
        if not path.name.endswith(".head"):
            path.write_bytes(content)
    acknowledge_loss(dataset, file, "1", "restored")
    with open_dataset(file) as survey:
        assert survey.count("smokes").ask(epsilon=1).receipt == table.receipt
        assert not survey.median("mood").ask(epsilon=1).free
        assert survey.curator.ledger.audit().clean


def test_many_at_once_are_told_the_same(make):
    with Curator(make()) as curator:
        curator.ask(Order.of(curator.question(TABLE), epsilon=1))
        orders = [Order.of(curator.question(sql), epsilon=1) for sql in PARTS]
        with ThreadPoolExecutor(8) as threads:
            ids = [f"k{n % 10}" if n % 3 else None for n in range(60)]
            asking = threads.map(lambda o, i: curator.ask(o, question_id=i), orders * 12, ids)
            told = list(asking)
        for place in range(5):
            assert len({answer.results for answer in told[place::5]}) == 1
        assert curator.ledger.balance().spent == 10**9
        assert audit(curator.ledger.entries()).clean


def test_where_the_budget_is_gone_parts_are_still_told(make):
    with open_dataset(make(total="1")) as survey:
        survey.sql(TABLE).ask(epsilon=1)
        with pytest.raises(OverBudget):
            survey.median("mood").ask(epsilon="0.1")
        assert survey.count("smokes").ask(epsilon=1).left == "0"


def test_a_plan_of_what_is_stored_tells_how_exact_that_is_and_not_what_a_draw_would_be(survey):
    """A table that was told at ε = 1 is asked for at 0.1: the promise was that of a draw at 0.1."""
    table = survey.sql(TABLE).ask(epsilon=1)
    reach = max(
        max(one.value - one.interval[0], one.interval[1] - one.value) for one in table.results
    )
    made = survey.sql(TABLE).plan(epsilon="0.1")
    drawn = made.parts[0].chosen.figures.within
    told = f"95 %: each of {len(table.results)} answers within ±{reach}; a fresh draw would cost"
    view = PlanView.of(made, survey.curator.dataset)
    assert all(told in text for text in (str(made), made.stored, *view.promises))
    assert drawn > reach
    assert f"{drawn:.3g}" not in f"{made} {view.promises} {view.notes}"
    assert (view.within, view.parts, made.notes) == ("", (), ())
