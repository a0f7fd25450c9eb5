"""Where a database is: said by name, never by secret, and told in one line when out of reach."""

import os
import subprocess
import sys

import psycopg
import pytest

from discreet import connection
from discreet.connection import Connection, declared_connection
from discreet.errors import DatasetError
from postgres_server import GUARDED, PASSWORD

SECRET = "tr0ub4dor"


def declared(section, folder):
    noted = []
    found = declared_connection(section, folder, lambda key, text: noted.append((key, text)))
    return found, noted


@pytest.mark.parametrize(
    ("section", "wanted"),
    [
        ({"service": "clinic"}, Connection("service", "clinic")),
        ({"url_env": "STAYS_URL"}, Connection("url_env", "STAYS_URL")),
    ],
)
def test_one_of_three_keys_says_where(section, wanted, tmp_path):
    assert declared(section, tmp_path) == (wanted, [])


def test_a_file_is_beside_the_dataset_file(tmp_path):
    found, _ = declared({"url_file": "kept/url"}, tmp_path)
    assert found == Connection("url_file", str(tmp_path / "kept" / "url"))


@pytest.mark.parametrize(
    ("section", "key", "words"),
    [
        ({}, "", "say where to connect with one key"),
        ({"service": "a", "url_env": "B"}, "url_env", "with one key"),
        ({"service": 3}, "service", "must be written as service"),
        ({"url_env": "not a name"}, "url_env", "name of an environment variable"),
        ({"url_env": f"postgresql://a:{SECRET}@b/c"}, "url_env", "not the address itself"),
        ({"service": f"host=a password={SECRET}"}, "service", "not the address itself"),
    ],
)
def test_anything_else_is_a_problem_that_tells_no_secret(section, key, words, tmp_path):
    found, [(noted, text)] = declared(section, tmp_path)
    assert (found, noted) == (None, key)
    assert words in text
    assert SECRET not in text


def test_it_connects_by_each_key(postgres, tmp_path, monkeypatch):
    kept = tmp_path / "url"
    kept.write_text(postgres.url() + "\n")
    monkeypatch.setenv("STAYS_URL", postgres.url())
    services = tmp_path / "services"
    services.write_text(f"[clinic]\nhost={postgres.folder}\nuser=postgres\ndbname=postgres\n")
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    for where in (("url_env", "STAYS_URL"), ("url_file", str(kept)), ("service", "clinic")):
        with Connection(*where).open("discreet tests") as opened:
            shown = opened.execute("SHOW application_name").fetchone()
            assert shown == ("discreet tests",)


def refused(where):
    with pytest.raises(DatasetError) as told:
        where.open("discreet tests")
    text = str(told.value)
    assert "\n" not in text
    assert not any(secret in text for secret in (SECRET, PASSWORD, "wr0ng"))
    return text


def test_out_of_reach_is_one_line_without_the_secret(postgres, tmp_path, monkeypatch):
    where = Connection("url_env", "STAYS_URL")
    monkeypatch.delenv("STAYS_URL", raising=False)
    assert "STAYS_URL is not set" in refused(where)
    found = {}
    for name, url in {
        "nobody": f"postgresql://ana:{SECRET}@/x?host={tmp_path}",
        "port": f"postgresql://ana:{SECRET}@127.0.0.1:1/x",
        "no port": f"postgresql://ana:p@{SECRET}:word@127.0.0.1/x",
        "no address": f"host=x password={SECRET}",
        "password": postgres.url(role=GUARDED, password="wr0ng"),
        "database": postgres.url(database="nowhere"),
        "role": postgres.url(role="never_made"),
        "service": "",
    }.items():
        monkeypatch.setenv("STAYS_URL", url)
        found[name] = refused(where if url else Connection("service", "nowhere"))
    assert found["nobody"].endswith(
        "nothing listens there; start the server, or correct its address"
    )
    assert found["port"].endswith("nothing listens there; start the server, or correct its address")
    assert "PostgreSQL at" in found["no port"]
    assert "does not hold an address" in found["no address"]
    assert found["password"].endswith(
        "the password was refused; correct it where the address is kept"
    )
    assert found["database"].endswith(
        "there is no such database, or the role may not connect to it; name another"
    )
    assert found["role"].endswith("no such role, or it may not log in; name one that may")
    assert found["service"].endswith("there is no such service in pg_service.conf")
    monkeypatch.setenv("STAYS_URL", postgres.url(role=GUARDED, password=PASSWORD))
    where.open("discreet tests").close()


def test_files_that_cannot_be_read_are_told_by_name(tmp_path):
    assert "cannot read the address" in refused(Connection("url_file", str(tmp_path / "none")))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    assert "is not text" in refused(Connection("url_file", str(tmp_path / "bytes")))


def test_a_server_that_is_too_old_is_refused(postgres, monkeypatch):
    monkeypatch.setenv("STAYS_URL", postgres.url())
    monkeypatch.setattr(connection, "OLDEST", 99)
    assert "version 99 or newer is required" in refused(Connection("url_env", "STAYS_URL"))


def test_a_driver_that_is_not_installed_is_asked_for_by_name():
    code = "import sys; sys.modules['psycopg'] = None\nfrom discreet.connection import Connection\n"
    done = subprocess.run(
        [sys.executable, "-c", code + "Connection('url_env', 'HOME').open('x')"],
        capture_output=True, text=True, check=False, env=dict(os.environ),
    )  # fmt: skip
    assert "pip install 'discreet[postgresql]'" in done.stderr


def test_a_killed_server_comes_back(postgres):
    postgres.kill()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(postgres.url())
    postgres.start()
    psycopg.connect(postgres.url()).close()
