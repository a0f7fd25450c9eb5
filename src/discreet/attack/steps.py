"""The chance of every outcome of a choice by noise in whole steps (docs/proofs/stepped.md).

By the definition: level by level, in enclosures, as far as levels can be told from nothing. That
the draw follows these levels is held by tests that run it on scripted noise.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from flint import arb, arb_poly

from discreet.attack.finite import Chances
from discreet.exact import enclosed, integer_ends, working_precision
from discreet.sampling import Stepped

_BITS = 192
_Kinds = Counter[tuple[int, int]]


def of_stepped(choice: Stepped) -> Chances:
    """The chances of its outcomes, those of one level and of one order beyond it together."""
    kinds = list(zip(choice.levels.tolist(), choice.beyond.tolist(), strict=True))
    with working_precision(4 * _BITS):
        known = dict(_chances(Counter(kinds), choice.rate))
        pairs = [known[kind] for kind in kinds]
    return Chances(
        tuple(max(0, low) for low, _ in pairs),
        tuple(high for _, high in pairs),
        1 << _BITS,
        trusted=_BITS // 2,
    )


def _chances(kinds: _Kinds, rate: Fraction) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    alpha = enclosed(-rate).exp()
    levels = int(2 * _BITS / rate) + 1
    for level, beyond in kinds:
        coin = enclosed(rate * level).exp()
        share = sum(
            (_at(kinds, (level, beyond), rate, alpha**height) for height in range(levels)),
            start=arb(0),
        )
        low, high = integer_ends(coin * share, _BITS)
        yield (level, beyond), (low, high + 1)


def _at(kinds: _Kinds, one: tuple[int, int], rate: Fraction, top: arb) -> arb:
    """What z from top·e^(−rate) to top adds to ∫ Π(1 − z·q): those that tie by their lots."""
    low = top * enclosed(-rate).exp()
    apart, alike = arb(1), arb_poly([1])
    for (level, beyond), many in kinds.items():
        coin = enclosed(rate * level).exp()
        if beyond == one[1]:
            alike *= arb_poly([1, -coin]) ** (many - ((level, beyond) == one))
        else:
            apart *= (1 - (top if beyond > one[1] else low) * coin) ** many
    whole = alike.integral()
    added: arb = apart * (whole(top) - whole(low))
    return added
