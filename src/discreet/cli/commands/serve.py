"""`discreet serve`: the curator as a service, for browsers and programs."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app

if TYPE_CHECKING:
    from discreet.accounts import Account
    from discreet.web.service import Service


@app.command(
    epilog=options.examples(
        "discreet serve survey.toml",
        "discreet serve --setup",
        "discreet serve survey.toml visits.toml --host 0.0.0.0 --tls-cert cert.pem "
        "--tls-key key.pem",
    )
)
def serve(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help="Dataset files; none is needed with --setup."),
    ] = None,
    *,
    setup: Annotated[
        bool,
        typer.Option(
            "--setup",
            help="Let the custodian set up tables in the browser, by a link that is printed and "
            "works once.",
        ),
    ] = False,
    folder: Annotated[
        str,
        typer.Option(
            metavar="FOLDER", help="With --setup: where tables are and dataset files are written."
        ),
    ] = ".",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="The address to listen on; other machines are served only with accounts.",
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", help="The port; 0 takes a free one.")] = 8000,
    accounts: options.AccountsFile = None,
    tls_cert: Annotated[
        str | None, typer.Option(metavar="FILE", help="The certificate, for https.")
    ] = None,
    tls_key: Annotated[str | None, typer.Option(metavar="FILE", help="Its private key.")] = None,
    behind_proxy: Annotated[
        bool,
        typer.Option(
            "--behind-proxy",
            help="Trust a reverse proxy on this machine for the caller's address and https.",
        ),
    ] = False,
    sign_on_header: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Single sign-on: the header in which a trusted proxy names the account.",
        ),
    ] = None,
    sign_on_proxy: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="The address of that proxy; from any other, the header means nothing.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(metavar="N", help="Processes that plan and design.")] = 2,
    rate: Annotated[
        float, typer.Option(metavar="N", help="Requests a second that one account may make.")
    ] = 5_000,
    log: Annotated[
        str, typer.Option(metavar="LEVEL", help="info (a line for every request) or warning.")
    ] = "info",
    json: options.Json = False,
) -> None:
    """Serve datasets to a browser, to Python and to curl, each caller within their budget."""
    from pathlib import Path

    from discreet.errors import InvalidInput
    from discreet.lifetimes import collect_as_usual
    from discreet.web import serving
    from discreet.web.settings import Settings

    if log.lower() not in ("info", "warning"):
        raise InvalidInput("--log must be info or warning")
    settings = Settings(
        files=tuple(Path(file) for file in files or ()),
        setup=Path(folder) if setup else None,
        host=host,
        port=port,
        accounts=None if accounts is None else Path(accounts),
        certificate=None if tls_cert is None else Path(tls_cert),
        key=None if tls_key is None else Path(tls_key),
        behind_proxy=behind_proxy,
        sign_on_header=sign_on_header,
        sign_on_proxy=sign_on_proxy,
        workers=workers,
        rate=rate,
    ).checked()

    def ready(service: "Service", url: str) -> None:
        collect_as_usual()
        _announce(service, url, as_json=json)

    with serving.logging_to_stderr(log):
        serving.serve(settings, ready)


def _announce(service: "Service", url: str, *, as_json: bool) -> None:
    """The address, and who may sign in."""
    from discreet.cli.rendering.terminal import console, say, say_json

    names = [served.name for served in service.every_dataset()]
    accounts = service.accounts.accounts() if service.has_accounts else []
    if service.desk is not None:
        service.desk.announce = lambda: _announce_next(service, url, as_json=as_json)
    if as_json:
        people = [account.to_dict() for account in accounts]
        say_json({"url": url, "datasets": names, "accounts": people, "setup": _link(service, url)})
    else:
        say(
            console(),
            f"serving {', '.join(names) or 'no dataset yet'} at {url}",
            *_set_up(service, url),
            *_who(accounts),
            *_open(service),
            *_notices(service),
        )
    sys.stdout.flush()


def _announce_next(service: "Service", url: str, *, as_json: bool) -> None:
    """Set-up was opened: where else it can be."""
    from discreet.cli.rendering.terminal import console, say, say_json

    if as_json:
        say_json({"setup": _link(service, url)})
    else:
        notice = "set-up was opened by a browser; this link moves it to another, once:"
        say(console(), notice, f"  {_link(service, url)}")
    sys.stdout.flush()


def _link(service: "Service", url: str) -> str | None:
    """Where the custodian sets up tables; with accounts by signing in, without by a key."""
    if service.desk is None:
        return None
    return f"{url}/setup" if service.has_accounts else f"{url}/setup/enter?key={service.desk.key}"


def _set_up(service: "Service", url: str) -> list[str]:
    link = _link(service, url)
    if link is None:
        return []
    how = "after signing in" if service.has_accounts else "this link works once"
    return [f"set up tables, as their custodian ({how}):", f"  {link}", *_confirmed(service)]


def _confirmed(service: "Service") -> list[str]:
    """Which files of the folder could be served and were not named."""
    assert service.desk is not None
    served = {one.name for one in service.every_dataset()}
    names = [one.name for one in service.desk.drafts() if one.confirmed and one.name not in served]
    if not names:
        return []
    files = " ".join(str(service.desk.folder / f"{name}.toml") for name in names)
    return [f"confirmed but not served: {', '.join(names)}; to serve them, add {files}"]


def _notices(service: "Service") -> list[str]:
    return [f"! {line}" for served in service.every_dataset() for line in served.curator.notices()]


def _open(service: "Service") -> list[str]:
    settings = service.settings
    if settings.is_loopback or settings.is_tls or settings.behind_proxy:
        return []
    return [
        "! without TLS a token can be read in transit: use --tls-cert and --tls-key, or a "
        "reverse proxy with https and --behind-proxy"
    ]


def _who(accounts: "list[Account]") -> list[str]:
    if not accounts:
        return [
            "there are no accounts: only this machine is served, and its user is the custodian",
            "create the first one: discreet token create NAME --role custodian",
        ]
    active = [one for one in accounts if one.to_dict()["state"] == "active"]
    people = ", ".join(f"{one.name} ({one.role})" for one in active) or "no one: all have expired"
    return [f"may sign in: {people}"]
