"""Two servers over adjacent tables: every reply is the same but for the drawn value."""

import re

import pytest

from served_api import COUNT, MEDIAN, ROWS, serving

GROUPS = {"sql": "SELECT COUNT(*) GROUP BY clinic", "epsilon": "0.1"}
DRAWN = re.compile(
    rb'"(value|exact|interval|exact_interval|bound)":(null|\[[^\]]*\]|"[^"]*"|\{[^}]*\}|[-0-9.e]+)'
)
SENTENCE = re.compile(rb'"sentence":"[^"]*(?= ?; receipt|\. \xce\xb5)')
TIMES = re.compile(rb'"at":"[^"]*"|"hash":"[^"]*"|"previous":"[^"]*"')
BY_CHANCE = {"date", "content-length"}


def transcript(folder, rows):
    """Everything that a curious analyst and a custodian can get out of a server."""
    folder.mkdir()
    with serving(folder, rows=rows) as api:
        replies = []
        at = "/api/datasets/survey"
        for body in (MEDIAN, COUNT, GROUPS):
            api.known(body)
            replies.append(api.post("ana", f"{at}/plan", body))
            replies.append(api.ask("ana", body, key=f"k{len(replies)}"))
        replies.append(api.ask("ana", {**MEDIAN, "epsilon": "1.9"}))
        replies.append(api.ask("ana", {**MEDIAN, "sql": "SELECT MEDIAN(nothing)"}))
        replies.append(api.ask("ana", {**MEDIAN, "sql": "SELECT MEDIAN(mood) WHERE mood = 9"}))
        replies.append(api.ask("ana", COUNT, key="k1"))
        for who in ("ana", "otto"):
            replies += [
                api.get(who, path)
                for path in (
                    "/api/me", "/api/datasets", at, f"{at}/answers", f"{at}/answers/ana:k1",
                    f"{at}/ledger", "/health", "/openapi.json",
                )
            ]  # fmt: skip
            replies.append(api.post(who, f"{at}/ledger/verify"))
        return replies


def plain(reply):
    text = SENTENCE.sub(b'"sentence":"', DRAWN.sub(rb'"\1":?', TIMES.sub(b"", reply.content)))
    headers = sorted(
        (name, value) for name, value in reply.headers.items() if name not in BY_CHANCE
    )
    return reply.status_code, headers, text


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("adjacent")
    changed = ("5,B", *ROWS[1:-1], "not a number,elsewhere")
    return transcript(folder / "one", ROWS), transcript(folder / "other", changed)


def test_replies_over_adjacent_tables_differ_only_in_what_was_drawn(both):
    for one, other in zip(*both, strict=True):
        assert plain(one) == plain(other)


def test_the_comparison_sees_answers_and_refusals(both):
    statuses = {reply.status_code for reply in both[0]}
    assert statuses == {200, 403, 409, 422}
    assert any(b'"value":?' in plain(reply)[2] for reply in both[0])
    drawn = [reply for reply in both[0] if b'"exact":"' in reply.content]
    assert len(drawn) >= 5
    assert not any(b'"exact":"' in plain(reply)[2] for reply in drawn)
