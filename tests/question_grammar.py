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
MOMENTS = st.sampled_from(
    ["DATE '2023-05-01'", "'2023-05-03'", "DATE '2023-05-01' + INTERVAL 3 DAY", "'2023-02-30'"]
)
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


def seldom(often: Texts, odd: Texts = ODD, times: int = 12) -> Texts:
    """The one, and once in so many times the other."""
    return st.integers(0, times).flatmap(lambda place: odd if place == times else often)


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
    joined(COLUMNS_OF["word"], st.sampled_from([" IN (", " NOT IN ("]), listed(SYMBOLS), ")"),
    joined(COLUMNS_OF["word"], st.sampled_from([" = ", " <> "]), SYMBOLS),
    joined(
        COLUMNS_OF["word"], st.sampled_from([" LIKE ", " ILIKE ", " NOT LIKE "]), seldom(PATTERNS)
    ),
    joined(NAMES, st.sampled_from([" IS NULL", " IS NOT NULL"])),
    joined("COALESCE(", COLUMNS_OF["word"], ", ", SYMBOLS, ") = ", SYMBOLS),
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
        st.sampled_from(["PERCENTILE_DISC(", "PERCENTILE_CONT("]),
        SHARES,
        ") WITHIN GROUP (ORDER BY ",
        NUMBERS,
        st.sampled_from([")", " DESC)"]),
    ),
    joined("SUM(", NUMBERS, ") FILTER (WHERE ", CONDITIONS, ")"),
    joined("AVG(", NAMES, ") OVER (PARTITION BY ", NAMES, ")"),
)
ANSWERS = seldom(
    st.one_of(
        STATISTICS,
        STATISTICS,
        joined(STATISTICS, st.sampled_from([" / ", " - ", " + ", " * "]), STATISTICS),
        joined(STATISTICS, st.sampled_from([" - 3", " * 100", " / 0", " AS told", " AS mood"])),
        joined("ROUND(", STATISTICS, ", 1)"),
    )
)
GROUPS = seldom(
    st.one_of(
        WORDS,
        WORDS,
        joined(PARTS, "(", DATES, ")"),
        joined("DATE_TRUNC('", st.sampled_from(["quarter", "month"]), "', visit)"),
        joined("BIN(", COLUMNS_OF["number"], ", ", seldom(NUMERALS, st.just("[2, 4]"), 3), ")"),
        joined("CUMULATIVE(", COLUMNS_OF["number"], ")"),
        joined(st.sampled_from(["ROLLUP(", "CUBE("]), listed(WORDS, 1, 2), ")"),
        joined("GROUPING SETS ((", WORDS, "), (", COLUMNS_OF["word"], "), ())"),
    ),
    st.sampled_from(["1", "2", "told", "()", "ALL", "visit", "seen", "weight * fee"]),
)
TAILS = st.one_of(
    st.just(""),
    st.just(""),
    joined(" HAVING ", ANSWERS, RELATIONS, NUMERALS),
    joined(" ORDER BY ", ANSWERS, st.sampled_from(["", " DESC", " NULLS LAST"])),
    joined(" ORDER BY 1 LIMIT ", st.sampled_from(["1", "0", "-1", "10 OFFSET 2", "ALL"])),
    st.sampled_from([" UNION SELECT COUNT(*)", " FROM data", " FROM other", "; SELECT 1"]),
)
HISTOGRAMS = joined(
    st.sampled_from(["HISTOGRAM(", "CUMULATIVE("]), COLUMNS_OF["number"], ", ", NUMERALS, ")"
)
QUESTIONS = joined(
    "SELECT ",
    st.one_of(ANSWERS, ANSWERS, listed(ANSWERS, 2, 2), HISTOGRAMS),
    st.one_of(st.just(""), joined(" WHERE ", CONDITIONS)),
    st.one_of(st.just(""), joined(" GROUP BY ", listed(GROUPS, 1, 2))),
    TAILS,
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
