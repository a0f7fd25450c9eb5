"""What the forms of the set-up pages say, as keys and values of a dataset file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.budget import analyst_name
from discreet.errors import DatasetError, InvalidInput
from discreet.exact import show
from discreet.model import Relation
from discreet.requests import read_epsilon, read_number
from discreet.tables import ColumnType
from discreet.tables.drafts.writing import key_text, quoted_text, words_text
from discreet.text import decimal_text, read_moment

NUMBERS = (ColumnType.INTEGER, ColumnType.NUMBER)
DATES = (ColumnType.DATE, ColumnType.TIMESTAMP)
_LONGEST = 200_000
_MOST_WORDS = 500
_COLUMN_FIELDS = (
    *("type", "low", "high", "step", "unit", "decimal", "values", "closed", "true", "false"),
    *("resolution", "order", "gaps", "missing", "description", "why", "keep"),
)
Given = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Form:
    """The fields of a form, by name."""

    given: Given

    def text(self, name: str) -> str:
        """A field, without the blanks around it; nothing where it is not filled in."""
        return (self.given.get(name) or [""])[0].strip()[:_LONGEST]

    def lines(self, name: str) -> list[str]:
        """The lines of a field that are filled in, each once."""
        filled = (line.strip() for line in self.text(name).splitlines())
        return list(dict.fromkeys(line for line in filled if line))

    def words(self, name: str) -> list[str]:
        """The words of a field between commas."""
        return [word.strip() for word in self.text(name).split(",") if word.strip()]


def why_of(form: Form) -> dict[str, str]:
    """How it is known without the rows: a note that must be given.

    Raises:
        DatasetError: Nothing was given.
    """
    note = " ".join(form.text("why").split())
    if not note:
        raise DatasetError(
            "say how you know this without the rows, in a few words: the questionnaire, the "
            "instrument, the law"
        )
    return {"why": quoted_text(note)}


def column_facts(form: Form, before: Mapping[str, Any]) -> dict[str, str]:
    """The keys of a column, in the order in which files have them; `before` is what stood there."""
    kind = ColumnType.read(form.text("type"))
    if kind is None:
        raise DatasetError(f"choose a type: {ColumnType.listed()}")
    facts = {"type": quoted_text(kind)}
    if kind in NUMBERS:
        facts |= _numbers(form)
    elif kind in DATES:
        facts |= _dates(form, kind)
    elif kind == ColumnType.CATEGORY:
        facts |= _words(form, before)
    else:
        facts |= _spellings(form)
    facts |= _gaps(form, kind)
    if form.text("description"):
        facts["description"] = quoted_text(" ".join(form.text("description").split()))
    return facts


def _numbers(form: Form) -> dict[str, str]:
    facts = {}
    for key in ("low", "high", "step"):
        if form.text(key):
            facts[key] = _number(form, key)
        elif key != "step":
            raise DatasetError(f"give {key}: a bound that is known without the rows")
    if form.text("unit"):
        facts["unit"] = quoted_text(form.text("unit"))
    if form.text("decimal") == ",":
        facts["decimal"] = quoted_text(",")
    return facts


def _number(form: Form, key: str) -> str:
    number = decimal_text(read_number(form.text(key), key, DatasetError))
    return quoted_text(number) if "/" in number else number


def _dates(form: Form, kind: ColumnType) -> dict[str, str]:
    facts = {key: _moment(form, key) for key in ("low", "high")}
    if kind == ColumnType.TIMESTAMP:
        facts["resolution"] = quoted_text(form.text("resolution") or "hour")
    if form.text("order"):
        facts["order"] = quoted_text(form.text("order"))
    return facts


def _moment(form: Form, key: str) -> str:
    moment = form.text(key)
    if read_moment(moment) is None:
        raise DatasetError(f"{key} must be a date such as 2023-05-01, got {show(moment)}")
    return moment.replace(" ", "T")


def _words(form: Form, before: Mapping[str, Any]) -> dict[str, str]:
    listed = form.lines("values")
    if not listed and "values_from" in before:
        facts = {"values_from": quoted_text(before["values_from"])}
    elif not listed:
        raise DatasetError("list the possible words, one per line")
    else:
        facts = {"values": words_text(listed)}
    return {**facts, "closed": "true"} if form.text("closed") else facts


def _spellings(form: Form) -> dict[str, str]:
    said = {key: form.words(key) for key in ("true", "false")}
    return {key: words_text(words) for key, words in said.items()} if any(said.values()) else {}


def _gaps(form: Form, kind: ColumnType) -> dict[str, str]:
    """What becomes of empty cells: skipped, counted as something, or declared not to be there."""
    choice, missing = form.text("gaps"), form.text("missing")
    if choice not in ("none", "count"):
        return {}
    if not missing:
        raise DatasetError("say what an empty cell counts as, or skip empty cells")
    if kind in NUMBERS:
        value = _number(form, "missing")
    elif kind in DATES:
        value = _moment(form, "missing")
    else:
        value = missing.lower() if kind == ColumnType.BOOLEAN else quoted_text(missing)
        if kind == ColumnType.BOOLEAN and value not in ("true", "false"):
            raise DatasetError(f"an empty cell must count as true or as false, got {show(missing)}")
    return {"gaps": "false", "missing": value} if choice == "none" else {"missing": value}


def privacy_facts(form: Form) -> dict[str, str]:
    """Who is protected, from what, and what is known of the number of rows."""
    facts = {"unit": quoted_text(form.text("unit") or "row")}
    person = form.text("unit") not in ("", "row")
    if person:
        facts["most_rows_per_unit"] = _whole(form, "most_rows_per_unit", "rows of one person")
    facts["neighbours"] = quoted_text(form.text("neighbours") or Relation.CHANGE)
    private = person or form.text("neighbours") == Relation.ADD_OR_REMOVE
    if form.text("size_is") == "public" and not private:
        facts["size"] = _whole(form, "size", "the number of rows")
    else:
        facts["size_at_most"] = _whole(form, "size_at_most", "a bound on the number of rows")
    return facts


def _whole(form: Form, key: str, what: str) -> str:
    digits = form.text(key).replace(",", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 13 and int(digits) >= 1):
        raise DatasetError(f"give {what}: a whole number of at least 1, got {show(form.text(key))}")
    return str(int(digits))


def budget_facts(form: Form) -> tuple[dict[str, str], dict[str, str]]:
    """The whole budget, and what each analyst may spend of it."""
    total = read_epsilon(form.text("total"))
    shares = {}
    for line in form.lines("analysts"):
        name, _, share = line.replace("=", " ").partition(" ")
        try:
            shares[analyst_name(name)] = quoted_text(str(read_epsilon(share.strip())))
        except InvalidInput:
            raise DatasetError(
                f"write a line for each analyst, their name and their ε, such as ana 0.5; got "
                f"{show(line)}"
            ) from None
    return {"total": quoted_text(str(total))}, shares


def column_form(
    facts: dict[str, Any], seen: dict[str, Any] | None, given: Form | None
) -> dict[str, Any]:
    """What the fields of a column's form hold: what was given just now, or what stands there."""
    if given is not None:
        return {name: given.text(name) for name in _COLUMN_FIELDS}
    gaps = "skip"
    if "missing" in facts:
        gaps = "none" if facts.get("gaps") is False else "count"
    common = "" if seen is None else "\n".join(word for word, _ in seen["common"])
    return {
        "type": facts.get("type", ColumnType.CATEGORY),
        **{key: _plain(facts.get(key)) for key in ("low", "high", "step", "unit", "decimal")},
        "values": "\n".join(facts.get("values", [])[:_MOST_WORDS]) or ("" if facts else common),
        "closed": "1" if facts.get("closed") else "",
        "true": ", ".join(facts.get("true", [])),
        "false": ", ".join(facts.get("false", [])),
        "resolution": facts.get("resolution", "hour"),
        "order": facts.get("order", ""),
        "gaps": gaps,
        "missing": _plain(facts.get("missing")),
        "description": facts.get("description", ""),
        "why": facts.get("why", ""),
        "keep": "yes" if facts else "no",
    }


def _plain(value: object) -> str:
    """A value of a dataset file as a field of a form."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def toml_text(value: Any) -> str:
    """A value of [source] as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(toml_text(one) for one in value)}]"
    if isinstance(value, dict):
        pairs = (f"{key_text(key)} = {toml_text(one)}" for key, one in value.items())
        return f"{{ {', '.join(pairs)} }}"
    return str(value).lower() if isinstance(value, bool) else quoted_text(str(value))
