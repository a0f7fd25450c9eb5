"""[ledger] says where the ledger is: by names, and never by a secret."""

import pytest

from discreet.connection import Connection
from discreet.tables.dataset_file import examine_dataset
from served_api import make_dataset


def read(folder, *lines):
    file = make_dataset(folder)
    file.write_text(file.read_text() + "\n".join(["", "[ledger]", *lines, ""]))
    return examine_dataset(file)


def test_it_is_a_file_unless_said(tmp_path):
    assert read(tmp_path)[0].shared_book is None
    assert read(tmp_path, 'kind = "file"')[0].shared_book is None


def test_a_book_has_the_files_name_or_its_own(tmp_path):
    book = read(tmp_path, 'kind = "postgresql"', 'service = "clinic"')[0].shared_book
    assert (book.name, book.connection) == ("survey", Connection("service", "clinic"))
    lines = ('kind = "postgresql"', 'url_file = "url"', 'book = "stays"', 'anchor = "kept"')
    dataset = read(tmp_path, *lines)[0]
    assert dataset.shared_book.name == "stays"
    assert dataset.shared_book.connection.value == str(tmp_path / "url")
    assert dataset.second_anchor is not None


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (['kind = "mysql"'], 'kind must be "file" or "postgresql"'),
        (['kind = "postgresql"'], "say where to connect with one key"),
        (['url_env = "X"'], 'url_env needs kind = "postgresql"'),
        (['kind = "postgresql"', 'url_env = "postgresql://a:s3cret@b/c"'], "not the address"),
        (['kind = "postgresql"', 'url_env = "X"', "book = 3"], "book must be the name"),
    ],
)
def test_anything_else_is_one_problem_with_its_line(lines, told, tmp_path):
    dataset, problems = read(tmp_path, *lines)
    assert dataset is None
    assert [told in problem.text for problem in problems] == [True]
    assert problems[0].line > 0
    assert "s3cret" not in problems[0].text
