"""Where an axis is marked."""


def ticks(size: int, most: int) -> list[int]:
    """At most `most` indices, evenly spread over 0 … size − 1, both ends among them.

    >>> ticks(5, 9), ticks(101, 6)
    ([0, 1, 2, 3, 4], [0, 20, 40, 60, 80, 100])
    """
    if size <= most:
        return list(range(size))
    return [round(i * (size - 1) / (most - 1)) for i in range(most)]
