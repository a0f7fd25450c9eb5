"""Container, compose and unit files name what there is; the steps themselves run in a chroot."""

import configparser
import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def chroot_module():
    found = importlib.util.spec_from_file_location("chroot", DEPLOY / "chroot.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture
def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


@pytest.mark.parametrize("image", ["books", "server"])
def test_every_step_of_an_image_is_one_that_a_chroot_runs(image):
    steps = chroot_module().steps(image, (DEPLOY / "Containerfile").read_text())
    words = [word for word, _ in steps]
    assert set(words) <= {"RUN", "COPY", "USER", "WORKDIR", "CMD"}
    assert words.count("CMD") == words.count("USER") == 1
    assert words.index("USER") > max(place for place, word in enumerate(words) if word == "RUN")
    for word, rest in steps:
        if word == "COPY":
            assert all((ROOT / source).exists() for source in rest.split()[:-1]), rest
        if word == "CMD":
            assert json.loads(rest)
        if word == "USER":
            assert rest != "root"


def test_what_compose_names_is_there(compose):
    for service in compose["services"].values():
        build = service["build"]
        assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
        assert f"AS {build['target']}\n" in (DEPLOY / "Containerfile").read_text()
        for one in service["secrets"]:
            assert (one["source"] if isinstance(one, dict) else one) in compose["secrets"]
    server, custodian = compose["services"]["server"], compose["services"]["custodian"]
    assert [one["source"] for one in server["secrets"]] == ["server.url"]
    assert [one["source"] for one in custodian["secrets"]] == ["custodian.url"]
    assert all("password" not in str(one).lower() for one in (server, custodian))
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])


def test_the_unit_is_one_that_systemd_takes(tmp_path):
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(DEPLOY / "discreet.service")
    assert unit["Service"]["User"] == "discreet"
    assert unit["Service"]["ReadWritePaths"] == unit["Service"]["WorkingDirectory"]
    program = unit["Service"]["ExecStart"].split()[0]
    assert f"{Path(program).parents[1]} " in (DEPLOY / "Containerfile").read_text()
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd-analyze is not here")
    text = (DEPLOY / "discreet.service").read_text().replace(program, "/bin/true")
    (tmp_path / "discreet.service").write_text(text)
    done = subprocess.run(
        [verify, "verify", str(tmp_path / "discreet.service")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = [line for line in done.stderr.splitlines() if "discreet.service" in line]
    assert not told


def test_the_books_begin_with_two_roles_and_passwords_of_letters(tmp_path):
    """The script up to where PostgreSQL is needed: a password that SQL would read is refused."""
    script = DEPLOY / "books.sh"
    subprocess.run(["sh", "-n", script], check=True)
    (tmp_path / "custodian.password").write_text("a'; DROP ROLE x; --\n")
    (tmp_path / "server.password").write_text("abc\n")
    done = subprocess.run(
        ["sh", script], capture_output=True, text=True, check=False,
        env={**os.environ, "BOOKS_DATA": str(tmp_path / "data"), "BOOKS_SECRETS": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "letters and digits" in done.stderr
