"""The program as a process: pipes, colours, encodings, interruptions, and bugs without a fuss."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = [sys.executable, "-m", "discreet"]
FULL_DISK = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


def _run(*words, **environment):
    return subprocess.run(
        [*PROGRAM, *words],
        capture_output=True,
        timeout=60,
        env={**os.environ, **environment},
        check=False,
    )


def test_help_and_version_come_from_the_module_too():
    done = _run("--version")
    assert done.returncode == 0
    assert done.stdout.decode().startswith("discreet ")
    assert _run("--help").returncode == 0


def test_no_colour_codes_in_a_pipe_nor_with_no_color(folder):
    for more in ({}, {"NO_COLOR": "1", "FORCE_COLOR": "1", "TERM": "xterm-256color"}):
        done = _run("show", "response.json", **more)
        assert b"0.500" in done.stdout
        assert b"\x1b[3" not in done.stdout
        assert b"\x1b[4" not in done.stdout


def test_a_heat_map_where_colours_are_wanted(folder):
    done = _run("show", "response.json", FORCE_COLOR="1", TERM="xterm-256color", NO_COLOR="")
    assert b"\x1b[" in done.stdout
    assert b"0.500" in done.stdout


def test_a_narrow_encoding_costs_letters_not_the_answer(folder):
    done = _run(
        "certify", "response.json", "--epsilon", "1", PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    )
    assert done.returncode == 0
    assert b"certified" in done.stdout
    done = _run("certify", "response.json", "--epsilon", "1", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["private"] is True


@pytest.mark.parametrize("words", [["show", "response.json"], ["--help"], ["draw", "response.json",
                                   "1", "--epsilon", "1", "--times", "200000"]])  # fmt: skip
def test_a_reader_that_goes_away_is_no_error(folder, words):
    read, write = os.pipe()
    os.close(read)
    with subprocess.Popen([*PROGRAM, *words], stdout=write, stderr=subprocess.PIPE) as process:
        os.close(write)
        _, stderr = process.communicate(timeout=60)
    assert stderr == b""
    assert process.returncode == 141


def _into_a_full_disk(*words, **environment):
    with open("/dev/full", "wb") as full:
        return subprocess.run(
            [*PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False,
            text=True, env={**os.environ, **environment},
        )  # fmt: skip


@FULL_DISK
@pytest.mark.parametrize(("more", "unbuffered"), [([], ""), (["--json"], "1"), (["--csv"], "")])
def test_a_charged_answer_that_cannot_be_written_can_be_told_again(survey, more, unbuffered):
    ask = ["ask", "survey.toml", "SELECT MEDIAN(mood)", "--epsilon", "0.5"]
    done = _into_a_full_disk(*ask, "--yes", *more, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 74
    assert done.stderr.startswith("error: the output could not be written: No space left")
    assert "`discreet ledger show survey.toml`" in done.stderr
    assert done.stderr.count("\n") == 1
    name = done.stderr.split("--id ")[1].split()[0]
    again = json.loads(_run(*ask, "--id", name, "--json").stdout)
    assert (again["free"], again["receipt"]) == (True, name)


@FULL_DISK
@pytest.mark.parametrize(
    "words", [["show", "response.json"], ["--help"], ["--version"], ["mechanisms", "--json"],
              ["show", "nothing.json", "--json"]],
)  # fmt: skip
def test_output_that_cannot_be_written_is_one_line(folder, words):
    done = _into_a_full_disk(*words)
    assert done.returncode == 74
    assert done.stderr.endswith("the output could not be written: No space left on device\n")
    assert "stored" not in done.stderr


@FULL_DISK
@pytest.mark.parametrize("lost", ["2>/dev/full", "2>&-"])
def test_where_problems_cannot_be_told_the_exit_code_tells_them(folder, lost):
    line = f"exec {shlex.quote(sys.executable)} -m discreet show nothing.json {lost}"
    done = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_closed_output_is_no_error(folder):
    line = f"exec {shlex.quote(sys.executable)} -m discreet show response.json >&-"
    done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_interrupting_is_quiet():
    script = (
        "import signal, sys, time, discreet.cli, discreet.model as model\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it\n"
        "def wait(path):\n    print('ready', flush=True)\n    time.sleep(60)\n"
        "model.load_mechanism = wait\n"
        "sys.argv = ['discreet', 'show', 'slow.json']\n"
        "discreet.cli.main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in stderr


BROKEN = (
    "import sys, discreet.cli, discreet.model as model\n"
    "def fail(path):\n    raise KeyError('secret')\n"
    "model.load_mechanism = fail\n"
    "sys.argv = ['discreet', 'show', 'x.json', *sys.argv[1:]]\n"
    "discreet.cli.main()\n"
)


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_a_bug_is_one_line_that_says_nothing_private(words):
    done = subprocess.run(
        [sys.executable, "-c", BROKEN, *words], capture_output=True, text=True, timeout=60,
        check=False, env={**os.environ, "DISCREET_DEBUG": ""},
    )  # fmt: skip
    assert done.returncode == 70
    assert done.stderr.startswith("error: an unexpected KeyError, which is a bug in discreet")
    assert done.stderr.count("\n") == 1
    assert "secret" not in done.stdout + done.stderr
    if words:
        assert json.loads(done.stdout)["kind"] == "KeyError"


def test_a_bug_is_told_in_full_to_those_who_ask():
    done = subprocess.run(
        [sys.executable, "-c", BROKEN], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "DISCREET_DEBUG": "1"},
    )  # fmt: skip
    assert "Traceback" in done.stderr
    assert "secret" in done.stderr
