"""Other people's solvers on our plain programs: their time is that of the solution alone."""

import highspy
import numpy as np

from discreet.designer.programs.program import Program


def highs(program: Program, solver: str) -> None:
    """HiGHS with its default tolerances; it need not cross over to a vertex."""
    session = highspy.Highs()
    session.silent()
    rows, variables = program.shape
    session.passModel(
        variables, rows, len(program.values), int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize), 0.0, program.cost, program.lower, program.upper,
        program.row_lower, program.row_upper, program.starts.astype("int32"),
        program.columns.astype("int32"), program.values, np.zeros(variables, dtype="int32"),
    )  # fmt: skip
    # by its name: "ipm" is another one where the extra `solver` is installed
    session.setOptionValue("solver", "ipx" if solver == "ipm" else solver)
    session.setOptionValue("run_crossover", "off")
    session.run()
    status = session.modelStatusToString(session.getModelStatus())
    if status != "Optimal":
        raise AssertionError(f"HiGHS ended {status}")


def glpk_is_here() -> bool:
    """Whether GLPK's Python package is installed (the bench extra)."""
    try:
        import swiglpk  # noqa: F401
    except ImportError:
        return False
    return True


def glpk(program: Program) -> None:
    """GLPK's simplex method, as in 003 §4.3."""
    import swiglpk as lib

    problem = lib.glp_create_prob()
    rows, variables = program.shape
    lib.glp_add_rows(problem, rows)
    lib.glp_add_cols(problem, variables)
    for place, (low, high) in enumerate(zip(program.row_lower, program.row_upper, strict=True), 1):
        lib.glp_set_row_bnds(problem, place, _kind(lib, low, high), _finite(low), _finite(high))
    for place in range(variables):
        low, high = program.lower[place], program.upper[place]
        kind = _kind(lib, low, high)
        lib.glp_set_col_bnds(problem, place + 1, kind, _finite(low), _finite(high))
        lib.glp_set_obj_coef(problem, place + 1, float(program.cost[place]))
    of_row = np.repeat(np.arange(rows), np.diff(program.starts))
    many = len(program.values)
    at_row, at_column, value = (
        lib.intArray(many + 1),
        lib.intArray(many + 1),
        lib.doubleArray(many + 1),
    )
    for entry in range(many):
        at_row[entry + 1] = int(of_row[entry]) + 1
        at_column[entry + 1] = int(program.columns[entry]) + 1
        value[entry + 1] = float(program.values[entry])
    lib.glp_load_matrix(problem, many, at_row, at_column, value)
    control = lib.glp_smcp()
    lib.glp_init_smcp(control)
    control.msg_lev, control.presolve = lib.GLP_MSG_OFF, lib.GLP_ON
    if lib.glp_simplex(problem, control) != 0 or lib.glp_get_status(problem) != lib.GLP_OPT:
        raise AssertionError("GLPK found no optimum")
    lib.glp_delete_prob(problem)


def _finite(bound: float) -> float:
    return float(bound) if np.isfinite(bound) else 0.0


def _kind(lib: object, low: float, high: float) -> int:
    if low == high:
        return int(lib.GLP_FX)  # type: ignore[attr-defined]
    if np.isfinite(low) and np.isfinite(high):
        return int(lib.GLP_DB)  # type: ignore[attr-defined]
    if np.isfinite(low):
        return int(lib.GLP_LO)  # type: ignore[attr-defined]
    return int(lib.GLP_UP if np.isfinite(high) else lib.GLP_FR)  # type: ignore[attr-defined]
