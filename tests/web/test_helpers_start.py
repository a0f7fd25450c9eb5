"""Processes that a server starts run the program's code, not that of the folder it serves."""

import pytest

from discreet.web import jobs
from discreet.web.setup import reading


@pytest.mark.parametrize("start", [jobs._spawned, reading._started])
def test_a_file_called_as_a_module_is_not_run(tmp_path, monkeypatch, start):
    (tmp_path / "re.py").write_text("open('run', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    start().communicate(timeout=100)
    assert not (tmp_path / "run").exists()
