"""The files that --save and --plot ask for, and how they are told of."""

from dataclasses import dataclass

from discreet.cli.parsing.files import save as save_file
from discreet.cli.rendering.description import can_be_written_out
from discreet.errors import InvalidInput
from discreet.model import Mechanism
from discreet.plots import heat_map, save_picture, suffix_of


@dataclass(frozen=True)
class Written:
    """Where files were written; None for those that nobody asked for."""

    saved: str | None = None
    plot: str | None = None

    def facts(self) -> dict[str, str | None]:
        """The same as JSON values."""
        return {"saved": self.saved, "plot": self.plot}

    def rows(self) -> list[tuple[str, str]]:
        """The same, fact by fact."""
        told = (("saved", self.saved), ("picture", self.plot))
        return [(kind, path) for kind, path in told if path is not None]


def written(
    mechanism: Mechanism, *, save: str | None, plot: str | None, title: str | None = None
) -> Written:
    """Save a mechanism and its heat map, as far as they are wanted."""
    saved = None if save is None else save_file(mechanism, save)
    return Written(saved, None if plot is None else save_heat_map(mechanism, plot, title))


def save_heat_map(mechanism: Mechanism, path: str, title: str | None = None) -> str:
    """Save the matrix as a heat map; the path, for the reply."""
    suffix_of(path)
    if not can_be_written_out(mechanism):
        raise InvalidInput("this mechanism is too large for a picture; use a larger step")
    return str(save_picture(heat_map(mechanism, title=title), path))
