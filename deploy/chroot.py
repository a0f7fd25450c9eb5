#!/usr/bin/env python3
"""Run the steps of the Containerfile in a plain Debian chroot: no container engine is needed.

    sudo python3 deploy/chroot.py server /srv/chroots/server
    sudo python3 deploy/chroot.py books /srv/chroots/books --run

`--base` names a chroot that debootstrap made before, which is copied; without it, one is made.
`--bind` makes a folder of this machine visible inside. `--run` runs what a container would run.
"""

import argparse
import json
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
_BINDS = ("/proc", "/dev")


def steps(target: str, text: str) -> list[tuple[str, str]]:
    """The instructions of one image: each a word and the rest of its line."""
    found: list[tuple[str, str]] = []
    current = None
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            current = rest.rpartition(" AS ")[2]
        elif word and not word.startswith("#") and current == target:
            found.append((word, rest.strip()))
    if not found:
        raise SystemExit(f"the Containerfile has no image {target}")
    return found


class Chroot:
    """A folder that is a Debian of its own."""

    def __init__(self, root: Path, binds: list[str]) -> None:
        self.root, self._binds, self._user, self._folder = root, binds, "root", "/"

    def __enter__(self) -> "Chroot":
        for place in (*_BINDS, *self._binds):
            inside = self.root / place.lstrip("/")
            inside.mkdir(parents=True, exist_ok=True)
            if not os.path.ismount(inside):
                subprocess.run(["mount", "--rbind", place, inside], check=True)
                subprocess.run(["mount", "--make-rslave", inside], check=True)
        shutil.copy("/etc/resolv.conf", self.root / "etc" / "resolv.conf")
        return self

    def __exit__(self, *_: object) -> None:
        for place in (*reversed(self._binds), *reversed(_BINDS)):
            subprocess.run(["umount", "-lR", self.root / place.lstrip("/")], check=False)

    def step(self, word: str, rest: str) -> None:
        """One instruction."""
        print(f"{word} {rest}", flush=True)
        if word == "RUN":
            self.run(["/bin/sh", "-c", rest])
        elif word == "COPY":
            *sources, to = rest.split()
            for source in sources:
                self._copy(HERE.parent / source, to)
        elif word == "USER":
            self._user = rest
        elif word == "WORKDIR":
            self._folder = rest
        else:
            raise SystemExit(f"{word} is no step that runs in a chroot")

    def _copy(self, source: Path, to: str) -> None:
        place = self.root / to.lstrip("/")
        if source.is_dir():
            shutil.copytree(source, place, dirs_exist_ok=True)
        else:
            place = place / source.name if to.endswith("/") else place
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, place)

    def run(self, words: list[str]) -> None:
        """A command inside, as the user of the last USER."""
        kept = {name: value for name, value in os.environ.items() if name.startswith(_PASSED)}
        home = self._home()
        plain = {"PATH": "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin", **home}
        subprocess.run(
            ["chroot", f"--userspec={self._user}:", str(self.root), "/bin/sh", "-c",
             'cd "$0" && exec "$@"', self._folder, *words],
            env={**kept, **plain, "DEBIAN_FRONTEND": "noninteractive"}, check=True,
        )  # fmt: skip

    def _home(self) -> dict[str, str]:
        lines = (self.root / "etc" / "passwd").read_text().splitlines()
        people = [pwd.struct_passwd(line.split(":")) for line in lines]
        homes = {one.pw_name: one.pw_dir for one in people}
        return {"HOME": homes.get(self._user, "/"), "USER": self._user}


_PASSED = ("PIP_", "BOOKS_", "http_proxy", "https_proxy", "LANG")


def made(root: Path, base: Path | None) -> None:
    """A plain Debian at a place that is empty."""
    if base is not None:
        subprocess.run(["cp", "-a", base, root], check=True)
        return
    subprocess.run(["debootstrap", "--variant=minbase", SUITE, root, MIRROR], check=True)


def main() -> None:
    """What the module's words say."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("image", choices=("books", "server"))
    parser.add_argument("root", type=Path)
    parser.add_argument("--base", type=Path)
    parser.add_argument("--bind", action="append", default=[], metavar="FOLDER")
    parser.add_argument("--run", action="store_true")
    given = parser.parse_args()
    wanted = steps(given.image, (HERE / "Containerfile").read_text(encoding="utf-8"))
    is_new = not given.root.exists()
    if is_new:
        made(given.root, given.base)
    with Chroot(given.root, given.bind) as inside:
        for word, rest in wanted:
            if word == "CMD":
                if given.run:
                    inside.run(json.loads(rest))
            elif is_new or word in ("USER", "WORKDIR"):
                inside.step(word, rest)


if __name__ == "__main__":
    sys.exit(main())
