"""Pictures: the same bytes every time, numbers as well as colours, failures in one line."""

import builtins

import numpy as np
import pytest

from discreet.errors import FileError, InvalidInput
from discreet.model import AllPairs, Grid, Labels, Mechanism
from discreet.plots import comparison_picture, heat_map, save_picture, suffix_of


def _mechanism(space):
    size = len(space)
    return Mechanism.of(space, space, AllPairs(), np.eye(size, dtype=int) + 1, name="response")


SMALL = _mechanism(Grid.between(1, 3))


def test_an_svg_is_deterministic_and_has_its_numbers_as_text(tmp_path):
    first, second = (save_picture(heat_map(SMALL), tmp_path / f"{i}.svg") for i in (1, 2))
    assert first.read_bytes() == second.read_bytes()
    text = first.read_text(encoding="utf-8")
    for needed in ("0.500", "0.250", "true answer", "output", "response"):
        assert needed in text
    assert "<dc:date>" not in text


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_other_kinds_of_file(tmp_path, suffix, magic):
    assert save_picture(heat_map(SMALL), tmp_path / f"m.{suffix}").read_bytes().startswith(magic)


def test_a_large_matrix_has_no_numbers_in_its_cells():
    large = heat_map(_mechanism(Grid.between(1, 40)))
    assert not large.axes[0].texts
    assert len(heat_map(SMALL).axes[0].texts) == 9


def test_names_are_never_taken_for_formulas_and_may_use_any_script(tmp_path):
    names = Labels.of(["$x_1$", "$\\nonsense$", "日本", "a very long name indeed"])
    picture = heat_map(_mechanism(names), title="$ _ ^ $")
    save_picture(picture, tmp_path / "names.png")
    text = save_picture(picture, tmp_path / "names.svg").read_text(encoding="utf-8")
    assert "$x_1$" in text
    assert "$ _ ^ $" in text


def test_a_comparison_marks_the_best_in_words():
    picture = comparison_picture(["a", "b"], {"loss": [2.0, 1.0]}, title="two")
    words = [text.get_text() for text in picture.axes[0].texts]
    assert words == ["2.000", "1.000 best"]
    assert [tick.get_text() for tick in picture.axes[0].get_yticklabels()] == ["a", "b"]


@pytest.mark.parametrize("panels", [{}, {"loss": [1.0]}])
def test_a_comparison_needs_a_number_for_each(panels):
    with pytest.raises(InvalidInput, match=r"give one for each|at least one"):
        comparison_picture(["a", "b"], panels)


@pytest.mark.parametrize("name", ["m", "m.jpg", "m.png.txt", "", "dir/"])
def test_only_some_kinds_of_file_are_pictures(name):
    with pytest.raises(FileError, match=r"a picture can be saved as \.png, \.svg or \.pdf, got"):
        suffix_of(name)


@pytest.mark.parametrize("name", ["missing/m.png", "nul\0.png"])
def test_a_place_that_cannot_be_written(tmp_path, name):
    with pytest.raises(FileError, match="cannot write"):
        save_picture(heat_map(SMALL), tmp_path / name)


def test_without_matplotlib_one_line_says_how_to_get_it(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InvalidInput, match=r"pip install 'discreet\[plots\]'"):
        heat_map(SMALL)
