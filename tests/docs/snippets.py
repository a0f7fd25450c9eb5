"""Fenced blocks of a Markdown page, with the remarks above them that tell how to run them.

A remark is an HTML comment on a line of its own, which readers do not see:

- `<!-- given: clinic -->`: put the bundled survey (clinic.csv, clinic.toml) into the folder first;
- `<!-- given: postgresql -->`: LEDGER_URL is the address of an empty database of PostgreSQL;
- `<!-- file: survey.toml -->`: the block is the content of this file;
- `<!-- change: src/discreet/errors.py -->`: the block is a change of this file, as a diff;
- `<!-- random: 67 38 q-a28638594494 -->`: these words differ from run to run;
- `<!-- exit: 2 -->`: the last command of the block leaves with this code.
"""

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|:{3,})(?P<language>[^`\n]*)$")
_REMARK = re.compile(r"^\s*<!-- (given|file|change|random|exit): (.*?) -->$")


@dataclass(frozen=True)
class Block:
    """A fenced block, the line where it opens, and its remarks."""

    language: str
    text: str
    line: int
    remarks: dict[str, str]


def blocks(page: Path) -> list[Block]:
    """The outermost fenced blocks of a page, in order."""
    found: list[Block] = []
    remarks: dict[str, str] = {}
    numbered = enumerate(page.read_text(encoding="utf-8").splitlines(), start=1)
    for number, line in numbered:
        if remark := _REMARK.match(line):
            remarks[remark[1]] = remark[2]
        elif fence := _FENCE.match(line):
            inside = []
            for _, inner in numbered:
                if inner.strip() == fence["ticks"]:
                    break
                inside.append(inner.removeprefix(fence["indent"]) + "\n")
            else:
                raise AssertionError(f"{page.name}: the block at line {number} is not closed")
            found.append(Block(fence["language"].strip(), "".join(inside), number, remarks))
            remarks = {}
        elif line.strip():
            remarks = {}
    return found


def same(expected: str, got: str, random: str = "") -> str | None:
    """None when an output is what a page says, else the first line of the page that is not there.

    `…` stands for any words, on one line or many. Words that the page calls random stand for any
    word. Blanks, line breaks and the lengths of bars and rules do not matter: tables are laid out
    anew when a number is longer.
    """
    printed = f" {_plain(got)}".rstrip()
    unknown = set(random.split())
    lines = [_plain(line) for line in expected.splitlines() if line.strip()]
    if re.fullmatch(_pattern(" ".join(lines), unknown), printed):
        return None
    for end in range(1, len(lines) + 1):
        if not re.match(_pattern(" ".join(lines[:end]), unknown) + r"(?= |$)", printed):
            return lines[end - 1]
    return "(nothing more)"


def _plain(text: str) -> str:
    return " ".join(re.sub(r"([█░─]+\s*)+", " ─ ", text).split())


def _pattern(line: str, random: set[str]) -> str:
    """A regular expression; every word brings the blank before it, and `…` may bring nothing."""
    pieces = []
    for word in line.split():
        bare = word.strip("().,;:%[]{}\"'")
        if word == "…":
            pieces.append("(?: .*?)??")
        elif bare and bare in random:
            pieces.append(" " + r"\S+".join(re.escape(part) for part in word.split(bare)))
        else:
            pieces.append(" " + r"\S*".join(re.escape(part) for part in word.split("…")))
    return "".join(pieces)
