"""Fenced blocks of a Markdown page, with the remarks above them that tell how to run them.

A remark is an HTML comment on a line of its own, which readers do not see:

- `<!-- given: clinic -->`: put the bundled survey (clinic.csv, clinic.toml) into the folder first;
- `<!-- file: survey.toml -->`: the block is the content of this file;
- `<!-- random: 67 38 q-a28638594494 -->`: these words differ from run to run;
- `<!-- exit: 2 -->`: the last command of the block leaves with this code.
"""

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|:{3,})(?P<language>[^`\n]*)$")
_REMARK = re.compile(r"^\s*<!-- (given|file|random|exit): (.*?) -->$")


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

    `…` stands for any words of a line, and for any lines when it is alone on one. Words that the
    page calls random stand for any word. Blanks and the lengths of bars and rules do not matter.
    """
    wanted = [_plain(line) for line in expected.splitlines()]
    printed = [_plain(line) for line in got.splitlines()]
    wanted, printed = [line for line in wanted if line], [line for line in printed if line]
    place, skipping = 0, False
    for line in wanted:
        if line == "…":
            skipping = True
            continue
        pattern = _pattern(line, set(random.split()))
        while skipping and place < len(printed) and not pattern.fullmatch(printed[place]):
            place += 1
        if place == len(printed) or not pattern.fullmatch(printed[place]):
            return line
        place, skipping = place + 1, False
    return None if skipping or place == len(printed) else f"(nothing more), not {printed[place]!r}"


def _plain(line: str) -> str:
    return " ".join(re.sub(r"([█░─]+ ?)+", "─ ", line).split())


def _pattern(line: str, random: set[str]) -> re.Pattern[str]:
    pieces = []
    for word in line.split():
        bare = word.strip("().,;:%[]{}\"'")
        if word == "…":
            pieces.append(r".*?")
        elif "…" in word and bare not in random:
            pieces.append(r"\S*".join(re.escape(part) for part in word.split("…")))
        elif bare in random and bare:
            pieces.append(r"\S+".join(re.escape(part) for part in word.split(bare)))
        else:
            pieces.append(re.escape(word))
    joined = " ".join(pieces).replace(" .*? ", " (?:.*? )?").replace(" .*?", "(?: .*)?")
    return re.compile(joined)
