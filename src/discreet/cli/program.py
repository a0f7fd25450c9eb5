"""The command `discreet`: every command is gathered here; all ways out lead through `Commands`."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from discreet.cli import failures
from discreet.cli.parsing.options import examples
from discreet.cli.rendering.terminal import OutputLost, guarded
from discreet.errors import DiscreetError, InvalidInput

_ClickError: Any = typer.BadParameter.__mro__[2]
"""The root of usage errors; typer carries its own copy of click or uses the package."""


_Function = TypeVar("_Function", bound=Callable[..., Any])


class _PlainFlags:
    """Help in which an option that is on or off has no type, and words that are plainly words."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            _take_as_typed(param)
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


def _take_as_typed(param: Any) -> None:
    """Let a parameter pass on what is right already; all else goes the way of typer."""
    reader = getattr(param, "get_runtime_param", None)
    if reader is not None and not isinstance(reader, _Reader):
        param.get_runtime_param = _Reader(param, reader)


@dataclass(frozen=True)
class _Reader:
    """Stands where typer asks for what reads a parameter's words.

    Newer versions of typer read every word through a model of pydantic, which takes longer to load
    than many a command takes to run. Nearly all our options are texts, read by our own rules
    afterwards: what is already what a command asks for needs no model.
    """

    param: Any
    usual: Callable[[], Any]

    def __call__(self) -> "_Reader":
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """A text where a text is wanted, nothing where nothing was said; else what typer makes."""
        wanted = self.param.type_descriptor
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        plain = wanted.annotation is str and wanted.parameter_info.parser is None
        if plain and isinstance(value, str) and not several:
            return value
        return self.usual().coerce(value, param=param, ctx=ctx)


class Command(_PlainFlags, TyperCommand):
    """One command."""


class Group(_PlainFlags, TyperGroup):
    """Commands under one name."""


class Application(typer.Typer):
    """Where commands are gathered."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[_Function], _Function]:
        """Add a command."""
        return super().command(name, **{"cls": Command, **settings})


class Commands(Group):
    """Commands whose failures are one line on standard error, never a traceback."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *_ignored: Any,
        **extra: Any,
    ) -> NoReturn:
        """Run, and leave with the exit code that fits."""
        words = list(sys.argv[1:] if args is None else args)
        _tolerate_narrow_encodings()
        extra["standalone_mode"] = False
        try:
            with guarded():
                code = self._run(words, prog_name or "discreet", extra)
        except BrokenPipeError:
            _forget_output()
            code = failures.UNREAD
        except OutputLost as problem:
            _forget_output()
            failures.report("OutputLost", str(problem), as_json=False)
            code = failures.UNWRITTEN
        sys.exit(code)

    def _run(self, words: list[str], name: str, extra: dict[str, Any]) -> int:
        as_json = "--json" in words
        try:
            outcome = super().main(words, name, **extra)
        except DiscreetError as error:
            failures.report(
                type(error).__name__,
                failures.message_of(error),
                as_json=as_json,
                field=error.field if isinstance(error, InvalidInput) else None,
            )
            return error.exit_code
        except _ClickError as error:
            failures.report("UsageError", _with_advice(error), as_json=as_json)
            return failures.UNUSABLE
        except typer.Abort:
            return failures.INTERRUPTED
        except SystemExit as leaving:
            if isinstance(leaving.__context__, BrokenPipeError):
                raise leaving.__context__ from None
            raise
        except (BrokenPipeError, OutputLost):
            raise
        except Exception as error:
            if os.environ.get("DISCREET_DEBUG"):
                raise
            failures.report(
                type(error).__name__,
                f"an unexpected {type(error).__name__}, which is a bug in discreet; "
                "run again with DISCREET_DEBUG=1 to see where, and please report it",
                as_json=as_json,
            )
            return failures.BUG
        return outcome if isinstance(outcome, int) else 0


def _with_advice(error: Any) -> str:
    message = str(error.format_message()).strip().rstrip(".")
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    if message == "Missing command":
        known = ", ".join(context.command.list_commands(context))
        message = f"a command is required after {context.command_path}: {known}"
    return f"{message}; see {context.command_path} --help"


def _tolerate_narrow_encodings() -> None:
    """Where ε cannot be written, a question mark is better than a failure."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _forget_output() -> None:
    """Let the interpreter flush into nothing when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())  # type: ignore[union-attr]
    except (OSError, ValueError):
        return


app = Application(
    name="discreet",
    cls=Commands,
    help="The most accurate answer that differential privacy allows, proved in exact integers.",
    epilog=examples(
        "discreet demo",
        "discreet init survey.csv",
        "discreet check survey.toml",
        "discreet plan survey.toml 'SELECT MEDIAN(satisfaction)' --epsilon 0.5",
        "discreet ask survey.toml 'SELECT MEDIAN(satisfaction)' --epsilon 0.5",
        "discreet mechanism geometric --range 0 10 --neighbours 1 --epsilon 0.5 --save count.json",
        "discreet certify count.json --epsilon 0.5",
        "discreet compare laplace geometric explicit-fair --range 1 5 --epsilon 1",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        from discreet import __version__

        typer.echo(f"discreet {__version__}")
        raise typer.Exit


@app.callback()
def start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """The most accurate answer that differential privacy allows, proved in exact integers."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
