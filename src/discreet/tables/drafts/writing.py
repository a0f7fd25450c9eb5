"""How dataset files are written: the one writer of drafts and of the set-up pages.

Keys and values are TOML; a file is changed a section at a time, and what else stands in it, by
whose hand ever, stays as it is.
"""

import json
import re
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from discreet.errors import DatasetError
from discreet.exact import show

CONFIRM = "# CONFIRM "
"""Begins the one line that says what must be confirmed of a column, or of a key."""
_WIDTH = 96
_ESCAPED = {ord(one): f"\\u{ord(one):04X}" for one in "\x7f\x85\u2028\u2029"}


def quoted_text(text: str | None) -> str:
    """A TOML basic string: JSON's escapes are TOML's, but for DEL and other ends of lines.

    >>> quoted_text("a\\x85b")
    '"a\\\\u0085b"'
    """
    return json.dumps(text or "", ensure_ascii=False).translate(_ESCAPED)


def key_text(name: str) -> str:
    """A key of TOML, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted_text(name)


def fact_lines(facts: Mapping[str, str]) -> str:
    """A line for each key, whose value is TOML already."""
    return "".join(f"{key} = {value}\n" for key, value in facts.items())


def words_text(words: Sequence[str]) -> str:
    """A list of words, over several lines where it is long."""
    quoted = [quoted_text(word) for word in words]
    line = f"[{', '.join(quoted)}]"
    if len(f"values = {line}\n") <= _WIDTH:
        return line
    rows: list[str] = []
    row = ""
    for word in quoted:
        if row and len(row) + len(word) > _WIDTH:
            rows, row = [*rows, row.rstrip()], ""
        row += f"{word}, "
    return "[\n" + textwrap.indent("\n".join([*rows, row.rstrip()]), "  ") + "\n]"


def header_text(path: Sequence[str]) -> str:
    """The line that begins a section.

    >>> header_text(["columns", "blood pressure"])
    '[columns."blood pressure"]'
    """
    return f"[{'.'.join(key_text(part) for part in path)}]"


def with_section(text: str, path: Sequence[str], facts: Mapping[str, str]) -> str:
    """The file with the keys of a section as given; a section that is not there comes last.

    Comments inside the section go, and with them the line that asked to confirm it; those that
    follow its last key stay, and so does everything else.

    Raises:
        DatasetError: The file is written so that this section alone cannot be changed.
    """
    block = f"{header_text(path)}\n{fact_lines(facts)}"
    wanted = _parsed(text)
    _put(wanted, path, tomllib.loads(fact_lines(facts)))
    return _checked(_replaced(text, path, block), wanted)


def without_section(text: str, path: Sequence[str], remark: str) -> str:
    """The file without a section, and with a remark in its place."""
    wanted = _parsed(text)
    inner = wanted
    for part in path[:-1]:
        inner = inner.get(part, {})
    inner.pop(path[-1], None)
    shorter = _replaced(text, path, f"# {remark}\n")
    if path[-1:] and path[:-1] and not inner and header_text(path[:-1]) not in text:
        shorter += f"\n{header_text(path[:-1])}\n"
    return _checked(shorter, wanted)


def with_key(text: str, key: str, value: str) -> str:
    """The file with a key at its top as given, where it has that key already."""
    wanted = _parsed(text)
    wanted |= tomllib.loads(fact_lines({key: value}))
    lines = text.splitlines(keepends=True)
    top = next((at for at, line in enumerate(lines) if _header(line) is not None), len(lines))
    named = re.compile(rf"\s*{re.escape(key)}\s*=")
    at = next((at for at, line in enumerate(lines[:top]) if named.match(line)), None)
    if at is None:
        lines.insert(0, fact_lines({key: value}))
    else:
        lines[at] = fact_lines({key: value})
    return _checked("".join(lines), wanted)


DRAFT = "# A draft, made from private rows"
"""How a draft begins."""


def without_opening(text: str) -> str:
    """The file without the lines at its top that call it a draft; as it is where there are none."""
    lines = text.splitlines(keepends=True)
    top = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if not any(line.startswith(DRAFT) for line in lines[:top]):
        return text
    return "".join(lines[top:]).lstrip("\n")


def to_confirm(text: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    """What is still to be confirmed, by the section in which it stands."""
    remarks: dict[tuple[str, ...], tuple[str, ...]] = {}
    here: tuple[str, ...] = ()
    for line in text.splitlines():
        here = _header(line) or here
        if line.startswith(CONFIRM):
            remarks[here] = (*remarks.get(here, ()), line.removeprefix(CONFIRM))
    return remarks


def _replaced(text: str, path: Sequence[str], block: str) -> str:
    """The text with the lines of a section replaced, from its header to its last key."""
    lines = text.splitlines(keepends=True)
    headers = [(at, header) for at, line in enumerate(lines) if (header := _header(line))]
    start = next((at for at, header in headers if header == tuple(path)), None)
    if start is None:
        return f"{text.rstrip()}\n\n{block}"
    end = next((at for at, _ in headers if at > start), len(lines))
    while end > start + 1 and re.fullmatch(r"\s*(#.*)?\n?", lines[end - 1]):
        end -= 1
    return "".join([*lines[:start], block, *lines[end:]])


def _header(line: str) -> tuple[str, ...] | None:
    """The section that a line begins; None for any other line."""
    if not line.lstrip().startswith("[") or line.lstrip().startswith("[["):
        return None
    try:
        inner = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    path: list[str] = []
    while inner:
        ((name, inner),) = inner.items()
        path.append(name)
    return tuple(path)


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise DatasetError(f"not a TOML file: {problem}") from None


def _put(wanted: dict[str, Any], path: Sequence[str], facts: dict[str, Any]) -> None:
    inner = wanted
    for part in path[:-1]:
        inner = inner.setdefault(part, {})
    kept = {name: one for name, one in inner.get(path[-1], {}).items() if isinstance(one, dict)}
    inner[path[-1]] = {**facts, **kept}


def _checked(text: str, wanted: dict[str, Any]) -> str:
    """The text, if it says what is wanted and no more: whatever else stood there is unchanged."""
    try:
        if tomllib.loads(text) == wanted:
            return text
    except tomllib.TOMLDecodeError:
        pass
    first = next(iter(wanted), "")
    raise DatasetError(
        "this file is written in a way that does not allow changing one section alone (it "
        f"begins with {show(first)}); edit it by hand"
    )
