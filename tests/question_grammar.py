"""Questions at random: the whole language of questions as a grammar, and ways to spoil a sentence.

Names are those of `small_survey` with `EVERY_KIND` of column. A sentence may mean nothing at all: a
grammar of what people write is wider than what can be answered.
"""

from hypothesis import strategies as st

from small_survey import COLUMNS, HALF, VISIT

EVERY_KIND = (
    COLUMNS
    + VISIT
    + HALF
    + '[columns.seen]\ntype = "timestamp"\nlow = 2023-05-01 06:00:00\nhigh = 2023-05-09 20:00:00\n'
    'resolution = "hour"\n'
    '[columns.fee]\ntype = "number"\nlow = 0\nhigh = 3\nstep = 0.5\ndecimal = ","\nunit = "EUR"\n'
    '[lookups.region]\nfrom = "clinic"\nfile = "regions.csv"\n'
    "[derived.late]\nexpression = \"CASE WHEN HOUR(seen) >= 17 THEN 'late' ELSE 'early' END\"\n"
)
"""Numbers, words, yes and no, dates, times, decimal commas, lookups, derived columns."""
HEADER = "mood,weight,clinic,smokes,visit,seen,fee"
REGIONS = "clinic,region\nA,north\nB,south\n"


def row(place: int) -> str:
    """A made-up record with gaps."""
    cells = (
        str(1 + place % 5),
        ("10,5" if place % 7 == 0 else "11.5"),
        "AB"[place % 2],
        ("yes", "no", "")[place % 3],
        f"2023-0{1 + place % 9}-0{1 + place % 8}" if place % 6 else "",
        f"2023-05-0{1 + place % 8} {6 + place % 14:02}:30:00",
        f"{place % 3},5",
    )
    return ",".join(f'"{cell}"' for cell in cells)


UNITS = st.sampled_from(["year", "quarter", "month", "week", "day", "hour"])
ODD = st.sampled_from(
    ["NULL", "''", "nobody", "1e9", "-3", "0", "data.mood", "clinic", "visit", "INTERVAL 1 MONTH",
     "CAST(mood AS INT)", "mood % 2", "TIMESTAMP '2023-05-01 12:00'", "CURRENT_DATE", "'x'", "*"]
)  # fmt: skip
"""What fits in few places."""
NUMERALS = st.sampled_from(["0", "1", "2", "2.5", "10", "0.5", "-1", "100"])
SYMBOLS = st.sampled_from(["'A'", "'B'", "'x'", "'north'", "'late'", "'yes'"])


def joined(*parts: "str | st.SearchStrategy[str]") -> st.SearchStrategy[str]:
    """One text after the other."""
    return st.tuples(*(st.just(one) if isinstance(one, str) else one for one in parts)).map("".join)


def listed(
    one: st.SearchStrategy[str], least: int = 1, most: int = 3, between: str = ", "
) -> st.SearchStrategy[str]:
    """Some of them, with commas between."""
    return st.lists(one, min_size=least, max_size=most).map(between.join)


Texts = st.SearchStrategy[str]


def seldom(often: Texts, odd: Texts = ODD, times: int = 60) -> Texts:
    """The one, and once in so many times the other."""
    return st.integers(0, times).flatmap(lambda place: odd if place == times else often)


MOMENTS = seldom(
    st.sampled_from(["DATE '2023-05-01'", "'2023-05-03'", "DATE '2023-05-01' + INTERVAL 3 DAY"]),
    st.just("'2023-02-30'"),
)
SAID = seldom(
    st.sampled_from([("clinic", "'A'", "'B'"), ("region", "'north'", "'south'"),
                     ("late", "'late'", "'early'")]).flatmap(
        lambda said: st.sampled_from([f"{said[0]}{{}}{one}" for one in said[1:]])
    ),
    joined(st.sampled_from(["clinic{}", "late{}"]), SYMBOLS),
)  # fmt: skip
"""A column of words, a place for an operator, and a word that it may hold."""
COLUMNS_OF = {
    "number": st.sampled_from(["mood", "weight", "half", "fee", '"mood"']),
    "date": st.sampled_from(["visit", "seen"]),
    "word": st.sampled_from(["clinic", "region", "late"]),
}
NAMES = seldom(st.one_of(*COLUMNS_OF.values()))


def _dates(inner: Texts) -> Texts:
    return st.one_of(
        joined("DATE_TRUNC('", UNITS, "', ", inner, ")"),
        joined("COALESCE(", inner, ", ", MOMENTS, ")"),
        joined("(", inner, " + INTERVAL ", st.sampled_from(["1", "7", "400"]), " DAY)"),
        joined("LEAST(", inner, ", ", MOMENTS, ")"),
    )


DATES = seldom(st.recursive(COLUMNS_OF["date"], _dates, max_leaves=2))
PARTS = st.sampled_from(["YEAR", "QUARTER", "MONTH", "WEEK", "WEEKDAY", "DAY", "HOUR", "DAYOFYEAR"])
CONDITIONS = st.deferred(lambda: _CONDITIONS)


def _numbers(inner: Texts) -> Texts:
    """Numbers made of numbers, dates and conditions."""
    return st.one_of(
        joined("(", inner, st.sampled_from([" + ", " - ", " * "]), inner, ")"),
        joined("ROUND(", inner, " / ", inner, ", ", st.sampled_from(["0.5", "0.1", "1", "2"]), ")"),
        joined(st.sampled_from(["ABS(", "ROUND(", "FLOOR(", "CEIL(", "-("]), inner, ")"),
        joined(st.sampled_from(["LEAST(", "GREATEST(", "COALESCE("]), inner, ", ", NUMERALS, ")"),
        joined("CLAMP(", inner, ", ", NUMERALS, ", ", NUMERALS, ")"),
        joined("NULLIF(", inner, ", ", NUMERALS, ")"),
        joined("CASE WHEN ", CONDITIONS, " THEN ", inner, " ELSE ", inner, " END"),
        joined(PARTS, "(", DATES, ")"),
        joined("EXTRACT(", PARTS, " FROM ", DATES, ")"),
        joined("DATE_DIFF('", UNITS, "', ", DATES, ", ", st.one_of(MOMENTS, DATES), ")"),
        joined("AGE_AT(", DATES, ", ", MOMENTS, ")"),
    )


NUMBERS = seldom(st.recursive(COLUMNS_OF["number"], _numbers, max_leaves=3))
RELATIONS = st.sampled_from([" = ", " <> ", " < ", " <= ", " > ", " >= "])
PATTERNS = st.sampled_from(["'A%'", "'%'", "'_'", "'a'", "'%th'", "''"])
PLAIN = st.one_of(
    joined(NUMBERS, RELATIONS, st.one_of(NUMERALS, NUMBERS)),
    joined(DATES, RELATIONS, st.one_of(MOMENTS, DATES)),
    joined(NUMBERS, st.sampled_from([" BETWEEN ", " NOT BETWEEN "]), NUMERALS, " AND ", NUMERALS),
    joined(DATES, " BETWEEN ", MOMENTS, " AND ", MOMENTS),
    joined(SAID.map(lambda said: said.replace("{}", " IN (")), ")"),
    joined(SAID.map(lambda said: said.replace("{}", " NOT IN (")), ")"),
    st.tuples(SAID, st.sampled_from([" = ", " <> "])).map(lambda two: two[0].replace("{}", two[1])),
    st.sampled_from(["clinic IN ('A', 'B')", "late NOT IN ('early', 'late')", "mood IN (1, 4)"]),
    joined(
        COLUMNS_OF["word"], st.sampled_from([" LIKE ", " ILIKE ", " NOT LIKE "]), seldom(PATTERNS)
    ),
    joined(NAMES, st.sampled_from([" IS NULL", " IS NOT NULL"])),
    joined("COALESCE(", COLUMNS_OF["word"], ", 'A') = 'A'"),
    st.sampled_from(["smokes", "NOT smokes", "TRUE", "clinic = region", "mood > weight"]),
)
_CONDITIONS = seldom(
    st.one_of(PLAIN, joined("(", PLAIN, st.sampled_from([" AND ", " OR "]), PLAIN, ")"))
)
WORDS = seldom(
    st.one_of(
        COLUMNS_OF["word"],
        st.just("smokes"),
        joined("CASE WHEN ", CONDITIONS, " THEN ", SYMBOLS, " ELSE ", SYMBOLS, " END"),
        joined("COALESCE(", COLUMNS_OF["word"], ", ", SYMBOLS, ")"),
    )
)
SHARES = seldom(
    st.sampled_from(["0.25", "0.5", "0.9", "0", "1"]), st.sampled_from(["1.5", "-1", "NULL"])
)
ONE = st.sampled_from(
    ["SUM", "AVG", "MIN", "MAX", "MEDIAN", "STDDEV", "VAR_POP", "QUARTILES", "SPREAD", "IQR"]
)
TWO = st.sampled_from(["CORR", "COVAR_SAMP", "REGR_SLOPE", "REGR_INTERCEPT", "RATIO"])
STATISTICS = st.one_of(
    st.sampled_from(["COUNT(*)", "COUNT(*)", "COUNT(DISTINCT clinic)", "TOP(clinic, 1)"]),
    joined(ONE, "(", NUMBERS, ")"),
    joined(st.sampled_from(["MIN(", "MAX(", "MEDIAN(", "AVG("]), DATES, ")"),
    joined("MODE(", st.one_of(WORDS, NUMBERS), ")"),
    joined(TWO, "(", NUMBERS, ", ", NUMBERS, ")"),
    joined(st.sampled_from(["SHARE(", "COUNT("]), CONDITIONS, ")"),
    joined("QUANTILE(", st.one_of(NUMBERS, DATES), ", ", SHARES, ")"),
    joined("QUANTILES(", COLUMNS_OF["number"], ", ", listed(SHARES), ")"),
    joined(
        seldom(st.just("PERCENTILE_DISC("), st.just("PERCENTILE_CONT("), 5),
        SHARES,
        ") WITHIN GROUP (ORDER BY ",
        NUMBERS,
        seldom(st.just(")"), st.just(" DESC)"), 5),
    ),
    joined("SUM(", NUMBERS, ") FILTER (WHERE ", CONDITIONS, ")"),
    seldom(
        joined("COUNT(", NAMES, ")"), joined("AVG(", NAMES, ") OVER (PARTITION BY ", NAMES, ")"), 5
    ),
)
OPERATORS = st.sampled_from([" + ", " - ", " * ", " / "])


def _formulas(inner: Texts) -> Texts:
    """Arithmetic of answers."""
    return st.one_of(
        joined(inner, OPERATORS, inner),
        joined("(", inner, OPERATORS, seldom(NUMERALS, st.just("told"), 3), ")"),
        joined(st.sampled_from(["ABS(", "-(", "ROUND("]), inner, ")"),
        joined("ROUND(", inner, ", ", seldom(st.sampled_from(["0", "1", "12"])), ")"),
        joined("NULLIF(", inner, ", ", seldom(st.just("0"), NUMERALS, 3), ")"),
        joined("CAST(", inner, " AS ", st.sampled_from(["DOUBLE", "DECIMAL(9, 2)", "INT"]), ")"),
    )


PARTED = st.one_of(
    STATISTICS,
    STATISTICS,
    joined(st.sampled_from(["RATIO(", "WEIGHTED_AVG("]), NUMBERS, ", ", NUMBERS, ")"),
    joined("RATIO(", STATISTICS, ", ", STATISTICS, ")"),
    seldom(STATISTICS, st.just("100 * COUNT(*) / SUM(COUNT(*)) OVER ()"), 3),
)
FORMULAS = st.recursive(PARTED, _formulas, max_leaves=3)
ALIASES = seldom(st.just(""), st.sampled_from([" AS told", ' AS "to ld"', " AS mood", " AS x"]), 2)
ANSWERS = seldom(st.one_of(STATISTICS, STATISTICS, FORMULAS))
SHOWN = joined(ANSWERS, ALIASES)
TOLD = seldom(st.one_of(ANSWERS, st.just("COUNT(*)")), st.just("told"), 8)
TESTED = st.one_of(
    joined(TOLD, RELATIONS, seldom(NUMERALS, TOLD, 3)),
    joined(TOLD, st.sampled_from([" BETWEEN 0 AND ", " NOT BETWEEN 1 AND "]), NUMERALS),
    joined(TOLD, st.sampled_from([" IN (", " NOT IN ("]), listed(NUMERALS), ")"),
    joined(TOLD, st.sampled_from([" IS NULL", " IS NOT NULL"])),
)
HAVING = st.one_of(
    TESTED,
    joined("NOT (", TESTED, ")"),
    joined(TESTED, st.sampled_from([" AND ", " OR "]), TESTED),
)
"""What HAVING may ask."""
BINS = seldom(
    st.sampled_from(["BIN(mood, 2)", "BIN(weight, 1)", "BIN(weight, [11, 11.5])", "BIN(fee, 0.5)"]),
    joined("BIN(", COLUMNS_OF["number"], ", ", NUMERALS, ")"),
    4,
)
PLAIN_GROUPS = seldom(
    st.one_of(
        WORDS,
        WORDS,
        joined(PARTS, "(", DATES, ")"),
        joined("DATE_TRUNC('", st.sampled_from(["quarter", "month"]), "', visit)"),
        BINS,
    )
)
GROUPS = seldom(
    st.one_of(
        WORDS,
        PLAIN_GROUPS,
        joined("CUMULATIVE(", COLUMNS_OF["number"], ")"),
        joined(st.sampled_from(["ROLLUP(", "CUBE("]), listed(WORDS, 1, 2), ")"),
        joined("GROUPING SETS ((", WORDS, "), (", COLUMNS_OF["word"], "), ())"),
    ),
    st.sampled_from(["1", "2", "told", "()", "ALL", "visit", "seen", "weight * fee"]),
)
SORTED = joined(
    seldom(st.one_of(TOLD, st.just("1")), st.sampled_from(["2", "told", "clinic", "y", "9"]), 4),
    st.sampled_from(["", " DESC", " ASC", " NULLS LAST", " DESC NULLS FIRST"]),
)
CUTS = seldom(
    st.sampled_from([" LIMIT 1", " LIMIT 10 OFFSET 2", " OFFSET 1", " FETCH FIRST 3 ROWS ONLY"]),
    st.sampled_from([" LIMIT 0", " LIMIT -1", " LIMIT ALL", " LIMIT 10 PERCENT", " LIMIT 2.5"]),
    5,
)
TAILS = seldom(
    joined(
        seldom(st.just(""), joined(" HAVING ", HAVING), 2),
        seldom(st.just(""), joined(" ORDER BY ", listed(SORTED, 1, 2)), 2),
        seldom(st.just(""), CUTS, 3),
    ),
    st.sampled_from(
        [" UNION SELECT COUNT(*)", " FROM data", " FROM other", "; SELECT 1", " QUALIFY 1 = 1"]
    ),
)
HISTOGRAMS = joined(
    st.sampled_from(["HISTOGRAM(", "CUMULATIVE("]), COLUMNS_OF["number"], ", ", NUMERALS, ")"
)
BY_GROUP = PLAIN_GROUPS.flatmap(
    lambda group: st.sampled_from([f"{group} AS y, {{}} GROUP BY y", f"{group}, {{}} GROUP BY 1",
                                   f"{group} AS mood, {{}} GROUP BY ALL",
                                   f"{{}} GROUP BY {group}"])
)  # fmt: skip
"""A group that SELECT shows, perhaps by another name."""
QUESTIONS = st.one_of(
    joined(
        "SELECT ",
        st.one_of(SHOWN, SHOWN, listed(SHOWN, 2, 3)),
        st.one_of(st.just(""), joined(" WHERE ", CONDITIONS)),
        st.one_of(st.just(""), joined(" GROUP BY ", listed(GROUPS, 1, 2))),
        TAILS,
    ),
    joined(
        "SELECT COUNT(*)",
        ALIASES,
        joined(" GROUP BY ", listed(GROUPS, 1, 2)),
        TAILS,
    ),
    joined("SELECT ", HISTOGRAMS, st.one_of(st.just(""), joined(" WHERE ", CONDITIONS))),
    joined(
        "SELECT ",
        st.tuples(BY_GROUP, listed(SHOWN, 1, 2)).map(lambda two: two[0].replace("{}", two[1])),
        TAILS,
    ),
)
"""Sentences of the language, and what looks like them."""


def _spoilt(given: tuple[str, int, int, str]) -> str:
    sql, kind, place, noise = given
    words = sql.split(" ")
    at = place % len(words)
    if kind == 0:
        words.pop(at)
    elif kind == 1:
        words.insert(at, words[place // 7 % len(words)])
    elif kind == 2:
        words[at] = noise
    else:
        at = place % (len(sql) + 1)
        return sql[:at] + noise + sql[at + kind :]
    return " ".join(words)


SPOILT = st.tuples(QUESTIONS, st.integers(0, 5), st.integers(0, 400), st.text(max_size=3)).map(
    _spoilt
)
"""A sentence with a word lost, doubled or replaced, or with a slip of the pen."""
