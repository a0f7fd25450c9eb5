"""A proven lower bound on a linear program, from any multipliers (docs/proofs/dual-bound.md)."""

import math

import numpy as np

from discreet.designer.programs.program import Floats, Program

_UNIT = 2.0**-53


def lower_bound(program: Program, multipliers: Floats, *, sums: str | None = "sums") -> float:
    """A number that no point of the program costs less than; no solver is believed.

    Multipliers are a solver's row duals (positive where a row's lower side binds). Whatever they
    are, the Lagrangian's minimum over the box of the variables is a bound; it is computed in
    floats, and all that rounding may have added is taken off. Rows named by `sums`, in which each
    variable stands at most once with a positive coefficient, are first moved to where they help
    most. All variables must be bounded from below by a number that is not negative.

    >>> from discreet.designer.programs.program import ProgramRows
    >>> total = ProgramRows.equal("sums", np.array([[0, 1]]), np.array([1.0, 1.0]), 1.0)
    >>> two = Program.of(np.array([1.0, 2.0]), np.zeros(2), np.ones(2), [total])
    >>> 1 - 1e-12 < lower_bound(two, np.array([0.3])) <= 1
    True
    """
    kept = sharpened(program, multipliers, sums=sums)
    reduced, doubt = _reduced_costs(program, kept)
    least = reduced - doubt
    at = np.where(least >= 0, program.lower, program.upper)
    with np.errstate(invalid="ignore"):
        from_box = np.where(least == 0, 0.0, least * at)
    side = np.where(kept > 0, program.row_lower, program.row_upper)
    with np.errstate(invalid="ignore"):
        from_rows = np.where(kept == 0, 0.0, kept * side)
    terms = np.concatenate([from_box, from_rows])
    if not np.isfinite(terms).all():
        return -math.inf
    rounding = 4 * _UNIT * math.fsum(np.abs(terms)) + 1e-300
    return math.fsum(terms) - rounding


def sharpened(program: Program, multipliers: Floats, *, sums: str | None = "sums") -> Floats:
    """The multipliers that `lower_bound` goes by: of permitted sign, sums where they help most."""
    kept = _permitted(program, multipliers)
    if sums is not None and sums in program.blocks:
        kept = _moved(program, kept, program.blocks[sums])
    return kept


def _permitted(program: Program, multipliers: Floats) -> Floats:
    """Multipliers of the wrong sign for an open side count for nothing."""
    impossible = ((multipliers > 0) & np.isinf(program.row_lower)) | (
        (multipliers < 0) & np.isinf(program.row_upper)
    )
    return np.where(impossible | ~np.isfinite(multipliers), 0.0, multipliers)


def _moved(program: Program, multipliers: Floats, rows: slice) -> Floats:
    """Raise or lower each sum's multiplier until the least reduced cost in it is zero."""
    reduced, doubt = _reduced_costs(program, multipliers)
    first, last = program.starts[rows.start], program.starts[rows.stop]
    entries = slice(int(first), int(last))
    room = (reduced - doubt)[program.columns[entries]] / program.values[entries]
    least = np.minimum.reduceat(room, program.starts[rows] - first)
    moved = multipliers.copy()
    moved[rows] += least
    return moved


def _reduced_costs(program: Program, multipliers: Floats) -> tuple[Floats, Floats]:
    """cost − Aᵀy, and how far rounding may have put it off: γ_k·Σ|terms| for k terms."""
    terms = program.transposed_times(multipliers)
    sizes = np.abs(program.cost) + np.bincount(
        program.columns,
        np.abs(program.values * multipliers[program.entry_rows]),
        minlength=len(program.cost),
    )
    count = np.bincount(program.columns, minlength=len(program.cost)) + 4
    doubt = (1.01 * _UNIT * count * sizes + 1e-300).astype(np.float64)
    return program.cost - terms, doubt
