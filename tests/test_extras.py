"""What is optional is asked for by name where it is missing, and the curator needs none of it."""

import subprocess
import sys

import pytest


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("missing", "arguments", "extra"),
    [("fastapi", ["serve", "survey.toml"], "serve"), ("jinja2", ["serve", "x.toml"], "serve")],
)
def test_a_server_that_is_not_installed_says_how_to_get_it(missing, arguments, extra):
    code = f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['discreet', *{arguments!r}]; "
    status, said = run(code + "from discreet.cli import main; main()")
    assert status == 2
    assert said.strip() == f"error: the server is not installed: pip install 'discreet[{extra}]'"


def test_a_client_that_is_not_installed_says_how_to_get_it():
    code = "import sys; sys.modules['httpx'] = None; import discreet; discreet.Client()"
    status, said = run(code)
    assert status == 1
    assert "the client is not installed: pip install 'discreet[client]'" in said


def test_the_curator_needs_no_extra():
    extras = ["fastapi", "uvicorn", "jinja2", "httpx", "matplotlib"]
    extras += ["pandas", "polars", "pyarrow", "openpyxl"]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({extras!r})); "
        "sys.argv = ['discreet', 'demo']; from discreet.cli import main; main()"
    )
    status, said = run(code)
    assert status == 0, said
