"""The bundled survey is what its script makes, and its dataset file fits it."""

import runpy
from importlib.resources import files
from pathlib import Path

from discreet.cli.commands.demo import copied_survey
from discreet.tables import open_table, read_dataset

SCRIPT = Path(__file__).parents[2] / "examples" / "make_clinic_survey.py"


def test_the_script_makes_the_bundled_survey():
    made = runpy.run_path(str(SCRIPT))["text"]()
    assert made == (files("discreet") / "examples" / "clinic.csv").read_text(encoding="utf-8")


def test_the_dataset_file_fits_the_survey(tmp_path):
    dataset = read_dataset(copied_survey(tmp_path))
    assert dataset.confirmed
    open_table(dataset).close()
