"""Cells as tables of Markdown and LaTeX, and percents in HTML; nobody's markup gets through."""

import re
from collections.abc import Collection, Sequence

from discreet.text.writing import blanked

_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}

_PER_CENT = re.compile(r"<(textarea|code|pre|script|style)\b.*?</\1>|<[^>]*>|(?<=\d) %", re.S)


def unbroken(html: str) -> str:
    """A page or a piece of one in which no line ends between a number and its per cent sign.

    Tags, code and what may be typed into a form stay as they are.

    >>> unbroken('<p title="5 %">at 95 % <code>5 % 2</code></p>') == (
    ...     '<p title="5 %">at 95\N{NO-BREAK SPACE}% <code>5 % 2</code></p>'
    ... )
    True
    """
    return _PER_CENT.sub(
        lambda match: "\N{NO-BREAK SPACE}%" if match[0] == " %" else match[0], html
    )


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells as a table of Markdown; what would end a cell or a line is escaped.

    >>> print(markdown_table(("group", "answer"), [("a|b", "3")]))
    | group | answer |
    | --- | --- |
    | a\\|b | 3 |
    """
    lines = [
        f"| {' | '.join(markdown_words(cell).replace('|', chr(92) + '|') for cell in line)} |"
        for line in (head, *rows)
    ]
    return "\n".join([lines[0], f"| {' | '.join(['---'] * len(head))} |", *lines[1:]])


def markdown_words(words: str) -> str:
    """Words that Markdown leaves alone: no markup of anybody's gets through."""
    escaped = blanked(words)
    for mark in "\\`*_[]<>#":
        escaped = escaped.replace(mark, f"\\{mark}")
    return escaped


def latex_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()
) -> str:
    """Cells as a tabular of LaTeX (booktabs); columns of these names stand to the right.

    >>> print(latex_table(("group", "value"), [("A & B", "3")], right=["value"]))
    \\begin{tabular}{lr}
    \\toprule
    group & value \\\\
    \\midrule
    A \\& B & 3 \\\\
    \\bottomrule
    \\end{tabular}
    """
    sides = "".join("r" if name in right else "l" for name in head)
    lines = [" & ".join(map(_tex, row)) + r" \\" for row in (head, *rows)]
    top = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", lines[0], r"\midrule"]
    return "\n".join([*top, *lines[1:], r"\bottomrule", r"\end{tabular}"])


def _tex(words: str) -> str:
    return "".join(_TEX.get(mark, mark) for mark in blanked(words))
