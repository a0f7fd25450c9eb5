"""What is said instead of functions that expressions do not have."""

from sqlglot import exp

POSSIBLE = (
    "expressions are made of columns and constants with +, -, *, /, ABS, ROUND, FLOOR, CEIL, "
    "LEAST, GREATEST, CLAMP, COALESCE, CASE, comparisons, and of dates YEAR, MONTH, DATE_TRUNC, "
    "DATE_DIFF, AGE_AT"
)
_WORDS = (
    "words stay as they are declared: use them as they are, or choose among them, such as CASE "
    "WHEN column LIKE 'A%' THEN 'a' ELSE 'b' END"
)
_PATTERN = (
    "write a pattern: column LIKE 'A%' for words that begin with A, '%A' for those that end with "
    "it, '%A%' for those that hold it"
)
_WHOLE = "write ROUND(x) for the nearest whole number, FLOOR(x) for the one below"
_ORDER = (
    "it keeps the order: ask for MEDIAN or another quantile of the column, and apply it to the "
    "answer"
)
_DAY = "write the day, such as DATE '2024-12-31'"
_CUT = "write DATE_TRUNC('month', column), or YEAR(column) and MONTH(column) as two groups"
_BOTH = "for each combination of words write both columns in GROUP BY, with a comma"
HINTS: dict[str, str] = {
    **dict.fromkeys(("POWER", "POW"), "write x * x for the square of x"),
    **dict.fromkeys(("LN", "LOG", "LOG2", "LOG10", "EXP", "SQRT"), _ORDER),
    **dict.fromkeys(("UPPER", "LOWER", "TRIM", "SUBSTRING", "LEFT", "RIGHT", "LENGTH"), _WORDS),
    **dict.fromkeys(("REPLACE", "REGEXP_REPLACE", "REGEXP_EXTRACT"), _WORDS),
    **dict.fromkeys(("CONTAINS", "STARTS_WITH", "ENDS_WITH", "REGEXP_LIKE"), _PATTERN),
    **dict.fromkeys(("STR_POSITION", "PREFIX", "SUFFIX"), _PATTERN),
    **dict.fromkeys(("CAST", "TRY_CAST", "TRUNC", "INT"), _WHOLE),
    **dict.fromkeys(("NOW", "GETDATE", "CURRENT_DATE", "CURRENT_TIMESTAMP"), _DAY),
    **dict.fromkeys(("TIME_TO_STR", "TO_CHAR", "DATE_FORMAT", "FORMAT"), _CUT),
    **dict.fromkeys(("CONCAT", "CONCAT_WS"), _BOTH),
}
"""What comes nearest to functions that people write, by the names that the parser has for them."""


def nearest(node: object) -> str:
    """What comes nearest to a call, or what expressions are made of."""
    if isinstance(node, exp.DPipe):
        return _BOTH
    if isinstance(node, exp.SimilarTo | exp.Glob):
        return _PATTERN
    if isinstance(node, exp.Anonymous):
        return HINTS.get(node.name.upper(), POSSIBLE)
    return HINTS.get(node.sql_name(), POSSIBLE) if isinstance(node, exp.Func) else POSSIBLE
