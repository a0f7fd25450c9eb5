"""Replies of servers over adjacent tables, without what was drawn, keys and times."""

import csv
import io
import re
from collections.abc import Iterable

import httpx

HIDDEN = re.compile(
    r"value=\"[^\"]*\"|datetime=\"[^\"]*\"|\d+ \w+ \d{4}, \d\d:\d\d UTC|127\.0\.0\.1:\d+"
    r"|\"seconds\":[-0-9.e]+"
)
DRAWN = re.compile(
    r"<figure>.*?</figure>|<p class=\"(?:big|promise|told)\">.*?</p>"
    r"|<strong class=\"value\">.*?</p>",
    re.DOTALL,
)
OF_FILES = re.compile(
    r'"(?:value|exact|interval|exact_interval|bound)":(?:null|\[[^\]]*\]|"[^"]*"|[-0-9.e]+)'
    r'|"body":"(?:[^"\\]|\\.)*"|"(?:at|made|published)":"[^"]*"'
    r"|<td(?: class=\"number\")?>[^<]*</td>|^\|.*\|$",
    re.MULTILINE,
)
"""What is drawn in files: in JSON, in the tables of a report and of a document."""
OF_CSV = {"value", "low", "high", "bound", "word"}
"""What is drawn in a table of answers."""
BY_CHANCE = {"date", "content-length", "set-cookie"}
"""Headers that differ from server to server, or with the length of what was drawn."""


def plain(reply: httpx.Response, names: Iterable[str] = ()) -> tuple[int, str, str]:
    """Status, headers and text of a reply, without what chance decides."""
    text = without_drawn(HIDDEN.sub("", reply.text))
    if reply.headers.get("content-type", "").startswith("text/csv"):
        lines = list(csv.DictReader(io.StringIO(reply.text)))
        text = str([{k: v for k, v in line.items() if k not in OF_CSV} for line in lines])
    told = sorted(pair for pair in reply.headers.items() if pair[0] not in BY_CHANCE)
    headers = "\n".join(": ".join(pair) for pair in told)
    for name in names:
        text, headers = text.replace(name, "NAME"), headers.replace(name, "NAME")
    return reply.status_code, headers, text


def without_drawn(page: str) -> str:
    """What tells an answer without its value, its interval, its picture and the hashes of them."""
    told = OF_FILES.sub("", DRAWN.sub("", page)).replace('<tr class="faint">', "<tr>")
    told = re.sub(r"\b[0-9a-f]{64}\b", "", told)
    told = re.sub(r'"sentence":"[^"]*(?= ?; receipt|\. ε)', '"sentence":"', told)
    told = re.sub(r'"whole_range":\s?(?:true|false)', "", told)  # what the drawn interval covers
    told = told.replace(", the whole declared range", "")
    cell = r'(data-name="(?:answer|rows|\d+\s% confidence)"(?: class="[^"]*")?>)[^<]*'
    told = re.sub(cell, r"\1", told)
    if "sort=answer" in told:  # the largest come first: lines are in the order of what was drawn
        return "\n".join(sorted(told.splitlines()))
    return told
