"""Made-up rows are a function of declared facts, and every one of them is as declared."""

from discreet.tables import open_table, read_dataset, take_stock
from discreet.tables.dataset_file import examine_text
from discreet.tables.drafts.rehearsal import MOST_ROWS, made_up_rows, rehearse
from small_survey import AGE, COLUMNS, VISIT, dataset_text, with_gaps

MORE = """
[columns.paid]
type = "number"
low = 0
high = 2000
step = 0.5
decimal = ","
[columns.born]
type = "date"
low = 1920-01-01
high = 2020-12-31
order = "dmy"
[columns.at]
type = "timestamp"
resolution = "hour"
low = 2024-01-01
high = 2024-12-31
[columns.ill]
type = "boolean"
true = ["oui"]
false = ["non"]
"""


def _rehearsed(tmp_path, text):
    dataset, problems = examine_text(text, tmp_path / "survey.toml")
    assert dataset is not None, problems
    folder = tmp_path / "scratch"
    folder.mkdir()
    return dataset, read_dataset(rehearse(text, dataset, tmp_path, folder, "Rehearsal"))


def test_every_cell_is_as_declared_and_the_declaration_is_the_same(tmp_path):
    text = dataset_text(columns=with_gaps(COLUMNS) + AGE + VISIT + MORE, privacy="size = 400")
    dataset, made = _rehearsed(tmp_path, text)
    assert made.columns == dataset.columns
    assert (made.most_rows, made.relation, made.budget) == (400, dataset.relation, dataset.budget)
    for column, found in zip(made.columns, take_stock(made), strict=True):
        assert (found.others, found.clamped) == (0, 0), column.name
        assert (found.gaps > 0) == (not column.complete), column.name
    with open_table(made):
        pass  # as many rows as are declared


def test_rows_depend_on_declared_facts_alone(tmp_path):
    dataset, _ = examine_text(dataset_text(), tmp_path / "survey.toml")
    assert dataset is not None
    assert list(made_up_rows(dataset, 50)) == list(made_up_rows(dataset, 50))


def test_people_have_their_rows_and_large_tables_few_of_theirs(tmp_path):
    people = 'unit = "who"\nmost_rows_per_unit = 3\nsize_at_most = 30'
    dataset, _ = examine_text(dataset_text(people), tmp_path / "survey.toml")
    assert dataset is not None
    rows = list(made_up_rows(dataset, 30))
    assert rows[0][0] == "who"
    assert len({row[0] for row in rows[1:]}) == 10
    _, made = _rehearsed(tmp_path, dataset_text("size = 5000000"))
    assert made.most_rows == MOST_ROWS


def test_a_shared_ledger_is_never_touched(tmp_path):
    text = dataset_text() + '[ledger]\nkind = "postgresql"\nurl_env = "CLINIC_URL"\n'
    dataset, made = _rehearsed(tmp_path, text)
    assert dataset.shared_book is not None
    assert made.shared_book is None
