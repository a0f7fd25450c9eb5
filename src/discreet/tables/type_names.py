"""What types of columns are called: the names of the standard and those of engines, as one table.

A dataset file may pin a type by any of its names, whatever its server calls it.
"""

import re

from discreet.connection import POSTGRESQL, SPARK
from discreet.tables.columns import ColumnType

_ALIKE = (
    "tinyint, byte, int1",
    "smallint, short, int2",
    "integer, int, int4",
    "bigint, long, int8",
    "real, float4",
    "double precision, double, float8",
    "numeric, decimal, dec",
    "boolean, bool",
    "text, varchar, character varying, string",
    "character, char, bpchar",
    "timestamp without time zone, timestamp, timestamp_ntz, datetime",
    "timestamp with time zone, timestamptz, timestamp_ltz",
)
"""Names of one type, the first for all of them."""
_KNOWN = {name: names.split(", ")[0] for names in _ALIKE for name in names.split(", ")}
_OF_SPARK = {"float": "real", str(ColumnType.TIMESTAMP): "timestamp with time zone"}
_OWN = {POSTGRESQL: {"float": "double precision"}, SPARK: _OF_SPARK}
"""Names that an engine has for another type than the standard, or than other engines."""
_IN_FILES = {"float": "real"}
_ARGUMENTS = re.compile(r"\(([^()]*)\)")


def same_type(kind: str, one: str, other: str) -> bool:
    """Whether two names are of one type in a kind of source.

    Lengths and digits in parentheses count only where both names have them.

    >>> same_type("postgresql", "INTEGER", "int4"), same_type("postgresql", "integer", "text")
    (True, False)
    >>> same_type("spark", "dec", "decimal(9,2)"), same_type("spark", "timestamp_ntz", "timestamp")
    (True, False)
    """
    if one == other:
        return True
    (bare, digits), (others, more) = _parts(kind, one), _parts(kind, other)
    return bare == others and (digits == more or not digits or not more)


def _parts(kind: str, name: str) -> tuple[str, str]:
    """The one name of a type, and what it has in parentheses."""
    bare = " ".join(_ARGUMENTS.sub(" ", name).split())
    arguments = _ARGUMENTS.search(name)
    own, small = _OWN.get(kind, _IN_FILES), bare.lower()
    known = own.get(small) or _KNOWN.get(small) or bare
    return known, "" if arguments is None else arguments[1].replace(" ", "")
