"""`discreet init`: a commented draft of a dataset file, for the custodian to confirm."""

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.tables import DatasetDraft, Doubtful, Source


@app.command(
    epilog=options.examples(
        "discreet init survey.csv",
        "discreet init clinic.sqlite --table visits --save visits.toml",
        "discreet init waiting.xlsx --table March",
        "discreet init url_env=STAYS_URL --table research.stays",
    )
)
def init(
    table: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A .csv, .tsv, .jsonl, .parquet, .xlsx, .sqlite or .duckdb file; text files "
            "may be compressed (.csv.gz, .bz2, .xz, .zst). Or where PostgreSQL is: "
            "url_env=VARIABLE, url_file=FILE, service=NAME or postgresql://…, or where Spark "
            "Connect is: sc://… in the same ways. An address is not written down.",
        ),
    ],
    *,
    inside: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="Which table of a database, or which sheet of a workbook.",
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="WORDS", help="A name for people (default: the file's name).")
    ] = "",
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where to write (default: SOURCE with .toml)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
    json: options.Json = False,
) -> None:
    """Write a draft of a dataset file, and say which lines must be confirmed before it is used."""
    from pathlib import Path

    from discreet.cli.rendering.terminal import console, progress_line, say
    from discreet.errors import FileError
    from discreet.exact import show
    from discreet.tables import draft_dataset, kind_of_source
    from discreet.tables.drafts import draft_source
    from discreet.tables.source import COMPRESSIONS

    if (served := _served(table, inside, save)) is not None:
        target = Path(save) if save is not None else Path(f"{served.stem}.toml")
        _refuse_existing(target, force=force)
        with progress_line("looking at every column"):
            draft = draft_source(served, name)
        _finish(draft, target, force=force, json=json)
        if "://" in table and not json:
            advice = f"Set {served.connection and served.connection.value} to the address you gave"
            say(console(), f"{advice}: it is not saved anywhere.")
        return
    source = Path(table)
    if not table or "\0" in table + (save or ""):
        wrong = table if not table or "\0" in table else save
        raise FileError(f"{show(wrong)} cannot be the name of a file; give a path")
    kind_of_source(source)
    bare = source.with_suffix("") if source.suffix.lower() in COMPRESSIONS else source
    target = Path(save) if save is not None else bare.with_suffix(".toml")
    _refuse_existing(target, force=force)
    if save is not None and target.resolve().parent != source.resolve().parent:
        raise FileError(
            "a draft must be in the folder of its source; move it later and change path in [source]"
        )
    with progress_line("looking at every column"):
        draft = draft_dataset(source, inside, name)
    _finish(draft, target, force=force, json=json)


def _served(table: str, inside: str | None, save: str | None) -> "Source | None":
    """A table of PostgreSQL or Spark, where one is meant; an address stays in this process."""
    import os
    from pathlib import Path

    from discreet.connection import CONNECTION_KEYS, kind_of_server
    from discreet.errors import DatasetError
    from discreet.tables.source import declared_source

    key, sign, value = table.partition("=")
    address = table.startswith(("postgresql://", "postgres://", "sc://"))
    if not address and not (sign and key in CONNECTION_KEYS and not Path(table).exists()):
        return None
    if not inside:
        raise DatasetError(
            "name the table or view, with its schema: --table research.stays; a draft describes "
            "one table"
        )
    if address:
        key, value = "url_env", f"{inside.rpartition('.')[2]}_URL".upper()
        value = "".join(one if one.isalnum() and one.isascii() else "_" for one in value)
        os.environ[value] = table
    problems: list[str] = []
    place = Path(save) if save is not None else Path("draft.toml")
    section = {"kind": kind_of_server(key, value, place.parent), "table": inside, key: value}
    source = declared_source(section, place, None, lambda _, problem: problems.append(problem))
    if source is None:
        raise DatasetError(problems[0])
    return source


def _refuse_existing(target: "Path", *, force: bool) -> None:
    from discreet.errors import FileError
    from discreet.exact import show

    if target.exists() and not force:
        raise FileError(
            f"{show(str(target))} exists already; use --force to overwrite it, or --save FILE"
        )


def _finish(draft: "DatasetDraft", target: "Path", *, force: bool, json: bool) -> None:
    """Write a draft and its lists, and say what must be confirmed."""
    from dataclasses import asdict, replace

    from discreet.cli.rendering.terminal import console, progress_line, say, say_json
    from discreet.errors import FileError
    from discreet.exact import show

    lists = {target.with_name(one): text for one, text in draft.lists.items()}
    if not force and (there := next((one for one in lists if one.exists()), None)):
        raise FileError(f"{show(str(there))} exists already; use --force to overwrite it")
    for place, text in lists.items():
        _write(text, place)
    _write(draft.text, target)
    with progress_line("finding out what the budget buys"):
        draft = replace(draft, worth=_worth(target))
    _write(draft.text, target)
    odd = [] if draft.sampled else _odd_lines(target)
    if json:
        say_json(
            {
                "file": str(target),
                "lists": [str(place) for place in lists],
                "sampled": draft.sampled,
                "to_confirm": [asdict(one) for one in draft.to_confirm],
                "left_out": [name for name, _ in draft.left_out],
                "odd_lines": odd,
            }
        )
        return
    say(console(), *_told(str(target), draft, odd))


def _odd_lines(target: "Path") -> list[str]:
    """How lines of the table are not as one writes them; of large tables `check` says it."""
    from discreet.tables import examine_dataset
    from discreet.tables.stock import odd_lines

    dataset, _ = examine_dataset(target)
    return [] if dataset is None else odd_lines(dataset.source)


def _write(text: str, target: "Path") -> None:
    from discreet.errors import FileError
    from discreet.exact import show

    try:
        target.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise FileError(f"cannot write {show(str(target))}: {problem.strerror}") from None


def _worth(target: "Path") -> tuple[str, ...]:
    """What the drafted budget buys, from the drafted facts; nothing where nothing is drafted."""
    from discreet.cli.rendering.worth import comment
    from discreet.planning.worth import typical_worth
    from discreet.tables import examine_dataset

    dataset, _ = examine_dataset(target)
    priced = None if dataset is None else typical_worth(dataset)
    return () if dataset is None or priced is None else tuple(comment(*priced, dataset))


def _told(target: str, draft: "DatasetDraft", odd: list[str]) -> list[str]:
    from discreet.text import all_of

    width = max((len(str(one.line)) for one in draft.to_confirm), default=1)
    lines = [
        f"wrote {all_of([target, *draft.lists])}, a draft that answers nothing yet",
        *([draft.sampled[0].upper() + draft.sampled[1:] + "."] if draft.sampled else []),
        "It was made from private rows: keep it to yourself until it is confirmed.",
        "",
        "How do you know this without the rows? From the questionnaire, the instrument, the law.",
        "Everything in it counts as public, so change what you cannot vouch for:",
        "",
        *(line for one in draft.to_confirm for line in _doubtful(one, width)),
        "",
        *draft.worth,
        *[""] * bool(draft.worth),
    ]
    if draft.left_out:
        lines += ["Left out:", *(f"  {name}: {why}" for name, why in draft.left_out), ""]
    if odd:
        lines += ["Look at the table again:", *(f"  {one}" for one in odd), ""]
    return [*lines, f"Then set confirmed = true, and run: discreet check {quote(target)}"]


def _doubtful(one: "Doubtful", width: int) -> list[str]:
    lines = [f"  line {one.line:>{width}}  {one.text}"]
    return [*lines, f"{' ' * (width + 9)}! {one.doubt}"] if one.doubt else lines
