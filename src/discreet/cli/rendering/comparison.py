"""What `discreet compare` does once its words are understood."""

from collections.abc import Sequence

from discreet.cli.parsing.contest import contest
from discreet.cli.parsing.families import FamilySetting
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.side_by_side import bars, losses_beside, panels_of, properties_beside
from discreet.cli.rendering.terminal import console, say, say_json
from discreet.measures import measure
from discreet.model import Prior
from discreet.plots import comparison_picture, save_picture, suffix_of
from discreet.text import one_line


def compare_and_say(
    words: Sequence[str], setting: FamilySetting, prior: Prior, plot: str | None, *, as_json: bool
) -> None:
    """Build and certify each, measure each, and print them side by side."""
    if plot is not None:
        suffix_of(plot)
    held = contest(words, setting)
    certified = held.entries
    names = list(certified)
    found = [measure(entry.mechanism, prior) for entry in certified.values()]
    panels = panels_of(found)
    title = f"{describe.space_line(setting.answers)}, ε = {setting.epsilon}"
    saved = None
    if plot is not None:
        saved = str(save_picture(comparison_picture(names, panels, title=title), plot))
    if as_json:
        say_json(
            {
                "epsilon": str(setting.epsilon),
                "prior": describe.prior_fact(prior),
                "mechanisms": [
                    {
                        "name": name,
                        "mechanism": describe.mechanism_facts(entry.mechanism),
                        "certificate": describe.certificate_facts(entry),
                        "measures": measures.to_dict(),
                    }
                    for (name, entry), measures in zip(certified.items(), found, strict=True)
                ],
                "left_out": held.left_out,
                "plot": saved,
            }
        )
        return
    rows = [
        ("answers", describe.space_line(setting.answers)),
        ("outputs", describe.space_line(setting.outputs)),
        ("neighbours", describe.neighbours_line(setting.neighbours)),
        ("certified", f"✓ all {len(names)} at ε = {setting.epsilon}"),
        ("prior", describe.prior_line(prior)),
    ]
    rows += [(f"without {name}", one_line(reason)) for name, reason in held.left_out.items()]
    if saved is not None:
        rows.append(("picture", saved))
    first, numbers = next(iter(panels.items()))
    say(
        console(),
        describe.facts_table(rows),
        "",
        losses_beside(names, panels),
        "",
        properties_beside(names, found),
        "",
        *bars(names, numbers, f"expected loss: {first}"),
    )
