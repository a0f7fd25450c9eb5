"""Gauge noise, checked in five steps of whole numbers (docs/proofs/gauge-noise.md).

That a row adds to the answers what `row` says is a fact of the question; all else is checked.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import gcd

from flint import fmpz_mat

from discreet.certifier.certified import Certified, _seal
from discreet.errors import MechanismError, NotCertified
from discreet.exact import Epsilon, EpsilonLike, log_lower
from discreet.model import Guarantee, Relation
from discreet.model.gauges import Form, GaugeNoise

_BILLION = 10**9


def certify_gauge(noise: GaugeNoise, epsilon: EpsilonLike) -> Certified[GaugeNoise]:
    """Prove pure ε for gauge noise in integers, or raise NotCertified."""
    promise = Guarantee.of(epsilon)
    _check_forms(noise)
    _check_positive(noise)
    if not _keeps_equations(noise):
        raise NotCertified(
            f"not private at {promise}: noise keeps an equation that one row can break, so what "
            "that row adds would be released without noise"
        )
    moved = _moved(noise)
    if moved > noise.width:
        raise NotCertified(
            f"not private at {promise}: one person can move the answers by {moved} on the gauge, "
            f"more than the {noise.width} that were allowed for"
        )
    if noise.width * noise.rate > at_most(promise.epsilon):
        raise NotCertified(
            f"not private at {promise}: {noise.width} steps of {noise.rate} cost more"
        )
    return _seal(noise, promise, covers_answers=True, again=certify_gauge)


def at_most(epsilon: Epsilon) -> Fraction:
    """ε as a fraction, or one just below it where ε is a logarithm."""
    if epsilon.log_of is None:
        return Fraction(epsilon.billionths, _BILLION)
    return log_lower(epsilon.log_of)


def _check_forms(noise: GaugeNoise) -> None:
    """Whole coefficients of coordinates that are there, each once: then M is subadditive."""
    every = [*_flat(noise.summands), *noise.equations, *_flat(noise.row)]
    for form in every:
        places = [place for place, _ in form]
        whole = all(type(place) is int and type(entry) is int for place, entry in form)
        if not whole or len(set(places)) < len(places):
            raise MechanismError("a form must be a tuple of (coordinate, whole number) pairs")
        if places and not (min(places) >= 0 and max(places) < noise.dimension):
            raise MechanismError(
                f"the coordinates of a form must be from 0 to {noise.dimension - 1}"
            )
    if not (type(noise.width) is int and noise.width > 0 and noise.rate > 0):
        raise MechanismError("the width and the rate of gauge noise must be positive")
    if type(noise.rows_per_unit) is not int or noise.rows_per_unit < 1:
        raise MechanismError("a person must have at least one row")


def _check_positive(noise: GaugeNoise) -> None:
    """M is above 0 wherever noise is not 0: else the weights have no sum.

    No summand is ever below 0 (it has the form 0, or a form and its opposite). So where M is 0, no
    form is above 0; all forms, or what is left of them without common factors, add up to nothing
    there, so all of them are 0, and they tell every coordinate.
    """
    for forms in noise.summands:
        known = {_vector(form) for form in forms}
        if not ({()} & known or any(_opposite(form) in known for form in known)):
            raise MechanismError("a summand of a gauge must never be below 0")
    every, equations = _flat(noise.summands), [form for form in noise.equations if form]
    either = (every, list(map(_primitive, every)))
    if not any(_cancel(forms, equations, noise.dimension) for forms in either):
        raise MechanismError("the forms of a gauge must cancel")
    if _rank([*every, *equations], noise.dimension) < noise.dimension:
        raise MechanismError("a gauge must notice every noise; some have gauge 0")


def _cancel(forms: list[Form], equations: list[Form], dimension: int) -> bool:
    """Whether forms add up to nothing wherever the equations hold."""
    total: dict[int, int] = {}
    for form in forms:
        for place, entry in form:
            total[place] = total.get(place, 0) + entry
    sums = _vector(total.items())
    return not sums or _rank([*equations, sums], dimension) == _rank(equations, dimension)


def _primitive(form: Form) -> Form:
    """A form without the factor that its coefficients have in common."""
    common = gcd(*(entry for _, entry in form)) or 1
    return tuple((place, entry // common) for place, entry in form)


def _keeps_equations(noise: GaugeNoise) -> bool:
    """Whether what one person does keeps every equation that noise keeps.

    All rows add the same to it; nothing at all, where rows come or go.
    """
    blocks, stays = _blocks(noise), noise.relation == Relation.CHANGE and not noise.different
    ends = (_ends(noise, equation, blocks) for equation in noise.equations)
    return all(low == high and (stays or low == 0) for low, high in ends)


def _moved(noise: GaugeNoise) -> int:
    """How far one person moves the answers at most, by the gauge; not less than the truth."""
    if not noise.different:
        return noise.rows_per_unit * _farthest(noise)
    if len(noise.row) != 1:
        raise MechanismError("rows of a person that differ add alternatives of a single block")
    coming, going = (_spread(noise, sign) for sign in (1, -1))
    return max(coming, going) if noise.relation == Relation.ADD_OR_REMOVE else coming + going


def _spread(noise: GaugeNoise, sign: int) -> int:
    """The largest gauge of as many different alternatives as a person has rows, or fewer.

    What moves with one alternative alone is added up for it, and the largest of these count; of
    every other summand, the form that is largest by itself.
    """
    most, rows = noise.rows_per_unit, [dict(row) for row in noise.row[0]]
    alone, shared = [0] * len(rows), 0
    for forms in noise.summands:
        moved = [
            [sign * sum(entry * row.get(place, 0) for place, entry in form) for row in rows]
            for form in forms
        ]
        touched = {at for by_row in moved for at, much in enumerate(by_row) if much}
        if len(touched) > 1:
            shared += max(_largest(by_row, most) for by_row in moved)
        for at in touched if len(touched) == 1 else ():
            alone[at] += max(0, *(by_row[at] for by_row in moved))
    return shared + _largest(alone, most)


def _largest(numbers: list[int], most: int) -> int:
    """The largest sum of so many of them, or fewer."""
    return sum(sorted((one for one in numbers if one > 0), reverse=True)[:most])


def _farthest(noise: GaugeNoise) -> int:
    """How far one row moves the answers at most, by the gauge; not less than the truth."""
    if len(noise.summands) == 1:
        blocks = _blocks(noise)
        return max(_reach(noise, form, blocks) for form in noise.summands[0])
    coming, going = _both_ways(noise) if len(noise.row) == 1 else _apart(noise)
    if noise.relation == Relation.ADD_OR_REMOVE:
        return max(coming, going)
    return coming + going  # by subadditivity


def _both_ways(noise: GaugeNoise) -> tuple[int, int]:
    """The largest gauge of a row that comes, and of one that goes."""
    by_place: dict[int, list[tuple[int, int, int]]] = {}
    for which, forms in enumerate(noise.summands):
        for number, form in enumerate(forms):
            for place, entry in form:
                by_place.setdefault(place, []).append((which, number, entry))
    widths = []
    for sign in (1, -1):
        most = 0
        for row in noise.row[0]:
            values: dict[int, dict[int, int]] = {}
            for place, much in row:
                for which, number, entry in by_place.get(place, ()):
                    of = values.setdefault(which, {})
                    of[number] = of.get(number, 0) + sign * entry * much
            # No summand is below 0, so what the row does not touch adds nothing.
            most = max(most, sum(max(0, *of.values()) for of in values.values()))
        widths.append(most)
    return widths[0], widths[1]


def _apart(noise: GaugeNoise) -> tuple[int, int]:
    """The same for rows of several blocks, not less than it: each maximum by itself."""
    blocks, coming, going = _blocks(noise), 0, 0
    for forms in noise.summands:
        ends = [_ends(noise, form, blocks) for form in forms]
        coming, going = coming + max(high for _, high in ends), going - min(low for low, _ in ends)
    return coming, going


def _reach(noise: GaugeNoise, form: Form, blocks: dict[int, list[int]]) -> int:
    """How far one row moves this form at most."""
    low, high = _ends(noise, form, blocks)
    added = max(high, -low)
    return added if noise.relation == Relation.ADD_OR_REMOVE else max(high - low, added)


def _ends(noise: GaugeNoise, form: Form, blocks: dict[int, list[int]]) -> tuple[int, int]:
    """The least and the largest value of a form over all rows: sums over the blocks it meets."""
    entries = dict(form)
    low = high = 0
    for which in {which for place in entries for which in blocks.get(place, ())}:
        moved = [
            sum(entries.get(place, 0) * much for place, much in row) for row in noise.row[which]
        ]
        low, high = low + min(moved), high + max(moved)
    return low, high


def _blocks(noise: GaugeNoise) -> dict[int, list[int]]:
    """For each coordinate, the blocks of a row that may move it."""
    blocks: dict[int, list[int]] = {}
    for which, block in enumerate(noise.row):
        for place in {place for row in block for place, _ in row}:
            blocks.setdefault(place, []).append(which)
    return blocks


def _rank(forms: list[Form], dimension: int) -> int:
    """The rank of forms; a form of one coordinate tells that one, and the rest is eliminated."""
    single = {form[0][0] for form in forms if len(form) == 1 and form[0][1] != 0}
    left = {tuple((p, e) for p, e in form if p not in single) for form in forms}
    left.discard(())
    if not left:
        return len(single)
    places = sorted({place for form in left for place, _ in form})
    at = {place: column for column, place in enumerate(places)}
    matrix = fmpz_mat(len(left), len(places))
    for line, form in enumerate(sorted(left)):
        for place, entry in form:
            matrix[line, at[place]] = entry
    return len(single) + int(matrix.rank())


def _vector(pairs: Iterable[tuple[int, int]]) -> Form:
    return tuple(sorted((place, entry) for place, entry in pairs if entry))


def _opposite(form: Form) -> Form:
    return tuple((place, -entry) for place, entry in form)


def _flat(nested: Iterable[tuple[Form, ...]]) -> list[Form]:
    return [form for forms in nested for form in forms]
