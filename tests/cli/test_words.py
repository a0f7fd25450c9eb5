"""Words are read as typer reads them, without what is slow to load."""

import subprocess
import sys
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command

from discreet.cli.program import Application, Command


def _app(kind: dict[str, Any]) -> Any:
    app = Application()

    @app.command(**kind)
    def run(
        text: str,
        maybe: str | None = None,
        several: Annotated[list[str] | None, typer.Option()] = None,
        pair: Annotated[tuple[str, str] | None, typer.Option()] = None,
        number: int = 3,
        flag: bool = False,
    ) -> None:
        found.append((text, maybe, several, pair, number, flag))

    found: list[Any] = []
    return get_command(app), found


@pytest.mark.parametrize(
    "words",
    ["a", "a --maybe b", "a --several b --several c", "a --pair b c --number 4 --flag",
     "1 --maybe ''", "", "a --number x", "a --maybe", "a --pair b"],
)  # fmt: skip
def test_the_same_is_made_of_words_or_the_same_is_said(words: str) -> None:
    told = []
    for kind in ({"cls": Command}, {"cls": typer.core.TyperCommand}):
        command, found = _app(kind)
        try:
            command.main(words.replace("''", "").split(" ") if words else [], standalone_mode=False)
        except Exception as problem:
            found.append((type(problem), str(problem)))
        told.append(found)
    assert told[0] == told[1]
    assert told[0]


def test_a_plain_command_loads_no_models() -> None:
    code = "import sys; from discreet.cli import main\ntry: main()\nfinally: print(*sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", code, "mechanisms"], capture_output=True, check=False, text=True
    )
    assert "discreet.cli.commands.mechanisms" in told.stdout
    assert "pydantic" not in told.stdout
