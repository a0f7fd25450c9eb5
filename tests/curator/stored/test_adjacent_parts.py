"""What is served from the ledger, and how it looks, does not depend on anybody's row."""

import os
import shutil

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.curator import open_dataset
from small_survey import HEADER, dataset_text

PAIRS = 400 if os.environ.get("DISCREET_SOAK") else 6
ASKED = (
    ("SELECT COUNT(*) GROUP BY clinic, smokes", {}),
    ("SELECT COUNT(*) GROUP BY clinic", {}),
    ("SELECT COUNT(smokes)", {"id": "mine"}),
    ("SELECT COUNT(*) GROUP BY mood", {}),
    ("SELECT MEDIAN(mood), MAX(mood)", {}),
    ("SELECT COUNT(mood > 2), COUNT(smokes)", {}),
    ("SELECT COUNT(mood > 2)", {}),
    ("SELECT COUNT(smokes)", {"id": "mine"}),
    ("SELECT COUNT(smokes)", {"fresh": True}),
    ("SELECT COUNT(*) GROUP BY clinic", {"within": 12}),
)
rows = st.tuples(
    st.integers(1, 5),
    st.sampled_from(["10", "10.5", "12", ""]),
    st.sampled_from(["A", "B", "C"]),
    st.sampled_from(["yes", "no", "?"]),
)


def _seen(folder, content):
    folder.mkdir()
    lines = [HEADER, *(",".join(map(str, row)) for row in content)]
    (folder / "rows.csv").write_text("\n".join(lines) + "\n")
    (folder / "survey.toml").write_text(dataset_text(f"size = {len(content)}"))
    seen, names = [], {}
    with open_dataset(folder / "survey.toml", analyst="ana") as survey:
        for sql, given_ in ASKED:
            wanted = given_ if "within" in given_ else {"epsilon": 1, **given_}
            plan = survey.sql(sql).plan(**{k: v for k, v in wanted.items() if k != "id"})
            told = survey.sql(sql).ask(**wanted).to_dict()
            names.setdefault(told["receipt"], len(names))
            source = told["from"] and names[told["from"]["receipt"]]
            fixed = {key: told[key] for key in ("asked", "epsilon", "spent", "left", "free")}
            results = [
                {
                    key: value if key in ("statistic", "group", "mechanism", "expected_error")
                    else type(value).__name__
                    for key, value in one.items()
                }
                for one in told["results"]
            ]  # fmt: skip
            seen.append((plan.cost.total, source, fixed, tuple(told), results))
        entries = survey.curator.ledger.entries()
        assert survey.curator.ledger.audit().clean
    return [*seen, [(one.kind, one.analyst, one.billionths) for one in entries]]


@given(st.lists(rows, min_size=4, max_size=4), rows, st.integers(0, 3))
@settings(max_examples=PAIRS, deadline=None)
def test_neighbours_are_served_alike(tmp_path_factory, content, other, place):
    folder = tmp_path_factory.mktemp("pair")
    changed = [*content[:place], other, *content[place + 1 :]]
    first, second = _seen(folder / "one", content), _seen(folder / "two", changed)
    shutil.rmtree(folder)
    assert first == second
    assert sum(one[2]["free"] for one in first[:-1]) >= 5  # else little was tried
