"""Whether black or white can be read on a colour."""

import math


def luminance(red: float, green: float, blue: float) -> float:
    """The relative luminance of a colour with parts from 0 to 1 (WCAG 2).

    >>> round(luminance(1, 1, 1), 3), luminance(0, 0, 0)
    (1.0, 0.0)
    """
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (red, green, blue)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def wants_black(red: float, green: float, blue: float) -> bool:
    """Whether black has the better contrast: above the geometric mean of black and white.

    The better of the two always reaches 4.5 to 1, for √(1.05 · 0.05) − 0.05 = 0.179….

    >>> wants_black(1, 1, 0), wants_black(0, 0, 1)
    (True, False)
    """
    return luminance(red, green, blue) > math.sqrt(1.05 * 0.05) - 0.05
