"""Expected errors of simple mechanisms and of other tools, by their laws, in steps.

OpenDP's quantile (0.16) scores a value by |(1 − α)·#below − α·#above| and chooses by
permute-and-flip; diffprivlib's (0.6.6) chooses an interval between neighbouring rows by its length
and how far it is from the rank, and a uniform point in it. `libraries` holds both to the libraries
themselves. Each is given what its own accounting asks for: a change is two contributions to OpenDP,
a person in two groups pays in both.
"""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.real_columns.asked import Asked, Rows, Statistic
from benchmarks.real_columns.columns import Counts
from benchmarks.real_columns.ours import Floats, errors, truth
from discreet.mechanisms.families.permute_and_flip import flip_probabilities
from discreet.model import Relation

Choosing = Callable[[Floats], Floats]
_NODES = 400


def others(asked: Asked, counts: Counts) -> dict[str, float]:
    """What each of the others errs by, those that are private here."""
    if asked.statistic is Statistic.MODE:
        return dict(_modes(asked, counts))
    if asked.statistic is Statistic.MEAN:
        return dict(_means(asked, counts))
    return {
        "rank exponential": chosen(asked, counts, rank_scores(asked, counts), exponential),
        "OpenDP": chosen(asked, counts, opendp_scores(asked, counts), flips),
        "diffprivlib": diffprivlib(asked, counts),
    }


def per_group(asked: Asked) -> float:
    """ε of a group: one changed row may leave one group and enter another."""
    both = asked.selected is Rows.GROUPED and asked.relation == Relation.CHANGE
    return float(asked.epsilon) / (2 if both else 1)


def rank_scores(asked: Asked, counts: Counts) -> Floats:
    """−ε/2 for each row that must change."""
    share, up_to = asked.statistic.share, np.cumsum(counts)
    assert share is not None
    rank = max(1, -(-share.numerator * int(up_to[-1]) // share.denominator))
    away = np.maximum(0, np.maximum(up_to - counts - (rank - 1), rank - up_to))
    return -per_group(asked) / 2 * away


def opendp_scores(asked: Asked, counts: Counts) -> Floats:
    """By how far a value is from having a share of the rows below it."""
    assert asked.statistic.share is not None
    share, up_to = float(asked.statistic.share), np.cumsum(counts)
    away = np.abs((1 - share) * (up_to - counts) - share * (up_to[-1] - up_to))
    return -opendp_rate(asked) * away


def opendp_rate(asked: Asked) -> float:
    """What its scale comes to: one of a known number of rows moves a score by 1, and one that
    comes or goes by max(α, 1 − α), twice for a change."""
    assert asked.statistic.share is not None
    share, epsilon = float(asked.statistic.share), float(asked.epsilon)
    if asked.size_is_public:
        return epsilon / 2
    moved = 2 if asked.relation == Relation.CHANGE else 1
    return epsilon / (2 * moved * max(share, 1 - share))


def diffprivlib(asked: Asked, counts: Counts) -> float:
    """Intervals between rows in order, by length and rank; uniform inside."""
    assert asked.statistic.share is not None
    last, rows = len(counts) - 1, np.repeat(np.arange(len(counts)), counts)
    ends = np.concatenate([[0], rows, [last]]).astype(np.float64)
    lengths = np.diff(ends)
    away = np.abs(np.arange(len(lengths)) - float(asked.statistic.share) * len(rows))
    open_ones = lengths > 0
    logs = -per_group(asked) / 2 * away[open_ones]
    weights = lengths[open_ones] * np.exp(logs - logs.max())
    far = _mean_distance(ends[:-1][open_ones], ends[1:][open_ones], truth(asked, counts))
    return float(weights @ far / weights.sum())


def _mean_distance(starts: Floats, ends: Floats, answer: float) -> Floats:
    """E|u − answer| for u uniform between start and end."""
    low, high = starts - answer, ends - answer
    return (high * np.abs(high) - low * np.abs(low)) / 2 / (ends - starts)


def chosen(asked: Asked, counts: Counts, scores: Floats, choosing: Choosing) -> float:
    """The expected error of a value that is chosen by its score."""
    told = np.arange(asked.values, dtype=np.float64)
    return float(choosing(np.exp(scores - scores.max())) @ errors(asked, counts, told))


def exponential(weights: Floats) -> Floats:
    """The law of the exponential mechanism."""
    return weights / weights.sum()


def flips(weights: Floats) -> Floats:
    """The law of permute-and-flip."""
    return flip_probabilities(weights[:, None])[:, 0]


def _modes(asked: Asked, counts: Counts) -> Iterator[tuple[str, float]]:
    """By frequency: counts that only grow, or only shrink, need half the noise."""
    monotone = asked.relation == Relation.ADD_OR_REMOVE or asked.selected is Rows.GROUPED
    rate = per_group(asked) / (1 if monotone else 2)
    scores = rate * counts.astype(np.float64)
    yield "exponential", chosen(asked, counts, scores, exponential)
    yield "OpenDP", chosen(asked, counts, scores, flips)


def _means(asked: Asked, counts: Counts) -> Iterator[tuple[str, float]]:
    """Laplace noise for a mean of a known number of rows; else for a sum and a count.

    Half of ε goes to each. The sum is taken from 0, as OpenDP's, where a change of a filtered row
    is two steps; or from the middle of the range, where it is one: the sum moves all the way, or
    half of it and the count.
    """
    if asked.size_is_public:
        mean, last = truth(asked, counts), asked.values - 1
        scale = last / (asked.rows * float(asked.epsilon))
        yield "Laplace", float(laplace_error(np.array([mean]), scale, mean, last)[0])
        return
    half, middle = per_group(asked) / 2, (asked.values - 1) / 2
    twice = asked.selected is Rows.FILTERED and asked.relation == Relation.CHANGE
    zero = 0.0 if asked.from_zero else -1.0
    farthest = asked.values - 1 - zero
    yield (
        "Laplace, from 0",
        _ratio(asked, counts, origin=zero, moves=farthest, rate=half / (2 if twice else 1)),
    )
    yield (
        "Laplace, from the middle",
        _ratio(asked, counts, origin=middle, moves=middle, rate=half),
    )


def _ratio(asked: Asked, counts: Counts, *, origin: float, moves: float, rate: float) -> float:
    """A noisy sum of distances from an origin over a noisy count of at least 1."""
    mean = truth(asked, counts)
    at = (np.arange(_NODES) + 0.5) / _NODES - 0.5
    noise = -np.sign(at) * np.log1p(-2 * np.abs(at)) / rate
    many = np.maximum(1.0, asked.rows + noise)
    centres = origin + asked.rows * (mean - origin) / many
    return float(np.mean(laplace_error(centres, moves / rate / many, mean, asked.values - 1)))


def laplace_error(centres: Floats, scales: Floats | float, mean: float, last: int) -> Floats:
    """E|clamp(centre + Laplace noise) − mean| over 0 … last, in closed form."""
    above = _tail(mean - centres, scales) - _tail(last - centres, scales)
    below = _tail(centres - mean, scales) - _tail(centres, scales)
    return above + below


def _tail(start: Floats, scale: Floats | float) -> Floats:
    """∫ Pr(noise > u) du from a start on."""
    return np.maximum(-start, 0.0) + scale / 2 * np.exp(-np.abs(start) / scale)
