"""Whatever the cache holds, a plan is the plan that an empty cache gives; the cache recovers."""

import hashlib
import io
import json
import os

import numpy as np
import pytest

from discreet.planning import forget, plan
from planning.facts import asked, dataset

SQL = "SELECT MEDIAN(mood)"


def _planned(folder, epsilon="0.8"):
    facts = dataset(3)
    forget()
    made = plan(asked(SQL, facts), facts, epsilon=epsilon, cache=folder)
    return [(one.name, one.figures) for one in made.parts[0].choice.candidates]


def _facts(content):
    with np.load(io.BytesIO(content[32:])) as arrays:
        held = dict(arrays.items())
    return json.loads(str(held.pop("facts"))), held


def _signed(facts, arrays):
    memory = io.BytesIO()
    np.savez(memory, facts=np.array(json.dumps(facts)), **arrays)
    return hashlib.sha256(memory.getvalue()).digest() + memory.getvalue()


def _garbage(content, _):
    return os.urandom(len(content))


def _signed_garbage(content, _):
    noise = b"PK\x03\x04" + os.urandom(len(content))
    return hashlib.sha256(noise).digest() + noise


def _of_another_request(content, others):
    method = _facts(content)[0]["method"]
    return next(other for other in others if _facts(other)[0]["method"] == method)


def _of_another_request_before_entries_had_names(content, others):
    facts, arrays = _facts(_of_another_request(content, others))
    facts.pop("entry", None)
    return _signed(facts, arrays)


def _one_integer(content, _):
    facts, arrays = _facts(content)
    key = "weights" if "weights" in arrays else "ladders"
    arrays[key].flat[0] += 1
    return _signed(facts, arrays)


def _revealing(content, _):
    """One answer moves all its weight from one output to the next: the sums are as they were."""
    facts, arrays = _facts(content)
    if "weights" in arrays:
        arrays["weights"][2, 0] += arrays["weights"][1, 0]
        arrays["weights"][1, 0] = 0
    return _signed(facts, arrays)


@pytest.mark.parametrize(
    "poison",
    [
        _garbage,
        _signed_garbage,
        _of_another_request,
        _of_another_request_before_entries_had_names,
        _one_integer,
        _revealing,
    ],
)
def test_a_poisoned_entry_is_replaced(tmp_path, poison):
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    honest = _planned(here)
    assert "by database" in dict(honest)
    _planned(elsewhere, epsilon="1.1")
    others = [path.read_bytes() for path in elsewhere.glob("*.design")]
    kept = {path: path.read_bytes() for path in here.glob("*.design")}
    methods = {_facts(content)[0]["method"] for content in kept.values()}
    assert any(method.startswith("planner by table") for method in methods)
    for path, content in kept.items():
        path.write_bytes(poison(content, others))
    assert _planned(here) == honest
    for path, content in kept.items():
        (facts, arrays), (again, rebuilt) = _facts(content), _facts(path.read_bytes())
        assert facts["method"] == again["method"]
        assert all((arrays[name] == rebuilt[name]).all() for name in arrays)
