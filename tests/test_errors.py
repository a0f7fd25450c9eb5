"""An error's exit code, status and word are said by its class and by nothing else."""

import re
from pathlib import Path

import pytest

from discreet import errors
from discreet.client import transport
from discreet.errors import DiscreetError, LedgerError, MissingExtra, NotCertified, OverBudget
from discreet.web.problems import refusal_of

SOURCE = Path(errors.__file__).parent
KINDS = [
    kind for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, DiscreetError)
]  # fmt: skip


def made(kind):
    return kind("what", "extra") if kind is MissingExtra else kind("what")


def test_words_tell_kinds_apart():
    assert len({kind.word for kind in KINDS}) == len(KINDS)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.word) for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_service_replies_as_the_class_says_and_the_client_raises_it_again(kind):
    refusal = refusal_of(made(kind))
    assert refusal.status == kind.status
    if kind.status != 404:  # nobody can tell what is not there from what is not theirs
        assert refusal.word == kind.word
        assert transport._KNOWN[refusal.word] is kind


def test_exit_codes_are_what_the_reference_tells():
    assert {kind: kind.exit_code for kind in KINDS if kind.exit_code != 2} == {
        NotCertified: 1, OverBudget: 3, LedgerError: 4,
    }  # fmt: skip


def test_no_code_of_an_error_is_told_in_a_second_place():
    """Neither beside its name, nor in the lines that follow a look at its class."""
    names = "|".join(kind.__name__ for kind in KINDS)
    code = r"(exit|Exit|status|Refusal|return)\b\W{0,3}[1-5]\d{0,2}\b"
    told = re.compile(rf"(case|isinstance\(\w+,|:) *(\w+\.)?({names})\b.*\n?.*{code}")
    for file in SOURCE.rglob("*.py"):
        if file.name != "errors.py":
            assert not told.search(file.read_text()), file
