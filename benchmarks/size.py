"""`python -m benchmarks size [WHAT]`: what an installation takes on disk, package by package.

A fresh virtual environment gets this project with its server, or what pip knows as WHAT. Not
counted are pip and setuptools, which every environment has. Sizes are of files as installed, with
the byte code that pip compiles, which is also shown by itself: installers that compile nothing
leave it to the first import. Megabytes are of 10⁶ bytes.
"""

import subprocess
import sys
import tempfile
import venv
from collections import defaultdict
from importlib.metadata import Distribution, distributions
from pathlib import Path

from rich.console import Console
from rich.table import Table

PROJECT = Path(__file__).parent.parent
TARGET = 250_000_000
NOT_OURS = ("pip", "setuptools")


def main(arguments: list[str]) -> int:
    """Print the table; 1 when the target is missed."""
    what = arguments or [f"{PROJECT}[serve]"]
    with tempfile.TemporaryDirectory() as folder:
        site = _installed(Path(folder), what)
        sizes = {
            found.name: _sizes(found)
            for found in distributions(path=[str(site)])
            if found.name not in NOT_OURS
        }
        whole = sum(_bytes(path) for path in site.rglob("*"))
        whole -= sum(_bytes(path) for name in NOT_OURS for path in _of(site, name))
    _print(sizes, whole, " ".join(arguments) or "discreet[serve]")
    return 0 if whole < TARGET else 1


def _installed(folder: Path, what: list[str]) -> Path:
    """The site-packages of a new environment that has these."""
    venv.create(folder, symlinks=True, with_pip=True)
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*command, "--disable-pip-version-check", *what], check=True)
    return next(folder.glob("lib/python*/site-packages"))


def _sizes(found: Distribution) -> dict[str, int]:
    """The bytes of a package's files: native code, byte code, all else."""
    sizes: dict[str, int] = defaultdict(int)
    for file in found.files or []:
        path = Path(str(found.locate_file(file)))
        kind = "byte code" if path.suffix == ".pyc" else "native" if ".so" in path.name else "other"
        sizes[kind] += _bytes(path)
    return sizes


def _bytes(path: Path) -> int:
    return path.lstat().st_size if path.is_file() else 0


def _of(site: Path, name: str) -> list[Path]:
    roots = [*site.glob(name), *site.glob(f"{name}-*.dist-info")]
    if name == "setuptools":
        roots += [*site.glob("pkg_resources"), *site.glob("_distutils_hack")]
        roots += [*site.glob("distutils-precedence.pth")]
    return [path for root in roots for path in ([root] if root.is_file() else root.rglob("*"))]


def _print(sizes: dict[str, dict[str, int]], whole: int, what: str) -> None:
    kinds = ("native", "byte code", "other")
    table = Table(title=f"{what} as installed, MB")
    for heading in ("package", *kinds, "sum"):
        table.add_column(heading, justify="left" if heading == "package" else "right")
    for name, each in sorted(sizes.items(), key=lambda pair: -sum(pair[1].values())):
        figures = [each.get(kind, 0) for kind in kinds]
        table.add_row(name, *(f"{size / 1e6:.2f}" for size in (*figures, sum(figures))))
    table.add_section()
    sums = [sum(each.get(kind, 0) for each in sizes.values()) for kind in kinds]
    table.add_row("all packages", *(f"{size / 1e6:.1f}" for size in (*sums, sum(sums))))
    Console(width=None if sys.stdout.isatty() else 100).print(table)
    mark = "✓" if whole < TARGET else "✗"
    print(
        "site-packages without pip and setuptools: "
        f"{whole / 1e6:.1f} MB ({whole / 2**20:.0f} MiB), "
        f"{(whole - sums[1]) / 1e6:.1f} MB without byte code; "
        f"wanted: under {TARGET / 1e6:.0f} MB {mark}"
    )
