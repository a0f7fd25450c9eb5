"""A design is found once; what is read back is certified again, and damage is only lost time."""

import multiprocessing
import os
from types import SimpleNamespace

import numpy as np
import pytest

from discreet.designer import Cache, Request, design, entry
from discreet.designer.cache import digest_of, packed, unpacked
from discreet.model import (
    AllPairs,
    Goal,
    Grid,
    Loss,
    Mechanism,
    RayBlocks,
    RayMechanism,
    Within,
)
from many_designs import many_designs


def _design(folder, **options):
    return design(Grid.between(0, 6), Within(2), "0.7", cache=folder, **options)


def _entry(folder):
    (path,) = folder.glob("*.design")
    return path


def test_the_second_call_finds_the_first(tmp_path):
    first, second = _design(tmp_path), _design(tmp_path)
    assert (first.from_cache, second.from_cache) == (False, True)
    assert second.mechanism.same_as(first.mechanism)
    assert (second.value, second.lower_bound, second.method, second.tried) == (
        first.value, first.lower_bound, first.method, first.tried,
    )  # fmt: skip
    assert second.expected_absolute_error == first.expected_absolute_error
    assert second.certified.guarantee == first.certified.guarantee


def test_the_second_call_designs_nothing(tmp_path, monkeypatch):
    def designing(request, methods):
        raise AssertionError("designed again")

    first = _design(tmp_path)
    monkeypatch.setattr(entry, "_first_found", designing)
    assert _design(tmp_path).mechanism.same_as(first.mechanism)
    with pytest.raises(AssertionError, match="designed again"):
        _design(tmp_path, method="plain")


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[:40] + bytes([content[40] ^ 1]) + content[41:],
        lambda content: b"PK" + content,
    ],
)
def test_a_damaged_entry_is_rebuilt(tmp_path, damage):
    first = _design(tmp_path)
    path = _entry(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    again = _design(tmp_path)
    assert not again.from_cache
    assert again.mechanism.same_as(first.mechanism)
    assert _design(tmp_path).from_cache


def test_an_entry_that_is_not_private_is_never_returned(tmp_path):
    """Even with a right checksum: a file is certified like anything else."""
    honest = _design(tmp_path)
    weights = np.zeros((7, 7), dtype=np.int64)
    np.fill_diagonal(weights, 2**62)
    forged = SimpleNamespace(
        mechanism=SimpleNamespace(weights=weights, name="design"),
        value=0.0,
        lower_bound=0.0,
        expected_absolute_error=0.0,
        method="plain",
        tried=(),
    )
    path = _entry(tmp_path)
    path.write_bytes(packed(forged, path.stem))
    again = _design(tmp_path)
    assert not again.from_cache
    assert again.mechanism.same_as(honest.mechanism)


def test_long_integers_and_rays_come_back_as_they_were():
    request = Request.of(Grid.between(0, 2), Within(1), 1)
    longer = Mechanism.of(request.answers, request.outputs, Within(1), [[2**70, 2**70, 2**70]] * 3)
    blocks = RayBlocks.of(first=[0, 2], length=[1, 1], ladder=[0, 0], output=[0, 2])
    rays = RayMechanism.of(
        request.answers, request.outputs, Within(1), [[4, 2, 1]], blocks, spare_output=1, total=8
    )
    for mechanism in (longer, rays):
        design = SimpleNamespace(
            mechanism=mechanism, value=0.5, lower_bound=0.25, expected_absolute_error=0.5,
            method="m", tried=(SimpleNamespace(method="m", outcome="well"),),
        )  # fmt: skip
        known = unpacked(packed(design, "e"), request, "e")
        assert type(known.finding.mechanism) is type(mechanism)
        assert known.finding.mechanism.digest == mechanism.digest
        assert (known.finding.lower_bound, known.method) == (0.25, "m")
        assert known.tried == (("m", "well"),)
    assert unpacked(packed(design, "e"), Request.of(Grid.between(0, 1), Within(1), 1), "e") is None
    assert unpacked(packed(design, "e"), request, "another") is None


def test_everything_that_defines_a_design_is_in_its_name():
    answers = Grid.between(0, 4)
    requests = [
        Request.of(answers, Within(1), 1),
        Request.of(answers, Within(2), 1),
        Request.of(answers, AllPairs(), 1),
        Request.of(answers, Within(1), "1.000000001"),
        Request.of(answers, Within(1), 1, delta="1e-6"),
        Request.of(answers, Within(1), 1, Goal.of("squared")),
        Request.of(answers, Within(1), 1, Goal.of(lambda r, f: float(abs(r - f)))),
        Request.of(answers, Within(1), 1, Goal.of(Loss.of_table(np.eye(5)))),
        Request.of(answers, Within(1), 1, Goal.of(worst_case=True)),
        Request.of(answers, Within(1), 1, Goal.of(prior=[0.2] * 5)),
        Request.of(answers, Within(1), 1, Goal.of(prior=[0.4, 0.1, 0.1, 0.2, 0.2])),
        Request.of(answers, Within(1), 1, requirements="fair"),
        Request.of(answers, Within(1), 1, outputs=Grid.between(0, 5)),
        Request.of(Grid.between(0, 4, "1/2"), Within(1), 1),
    ]
    digests = [digest_of(request) for request in requests] + [digest_of(requests[0], "plain")]
    assert len(set(digests)) == len(digests)
    assert digest_of(Request.of(answers, Within(1), "1.0", outputs=answers)) == digests[0]


def test_the_longest_unused_go_first(tmp_path):
    for k, epsilon in enumerate(["0.1", "0.2", "0.3"]):
        design(Grid.between(0, 3), Within(1), epsilon, cache=tmp_path)
        for path in tmp_path.glob("*.design"):
            if path.stat().st_mtime > 1e9:
                os.utime(path, (k + 1, k + 1))
    size = max(path.stat().st_size for path in tmp_path.glob("*.design"))
    assert design(Grid.between(0, 3), Within(1), "0.1", cache=tmp_path).from_cache
    Cache(tmp_path, most_bytes=2 * size + 10).prune()
    left = [
        epsilon
        for epsilon in ["0.1", "0.2", "0.3"]
        if design(Grid.between(0, 3), Within(1), epsilon, cache=tmp_path).from_cache
    ]
    assert left == ["0.1", "0.3"]


def test_what_a_killed_process_left_is_swept_up(tmp_path):
    old, new = tmp_path / ".old.part", tmp_path / ".new.part"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    _design(tmp_path)
    assert not old.exists()
    assert new.exists()


def test_where_the_cache_is(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "here"))
    assert Cache.of("default").folder == tmp_path / "here"
    monkeypatch.setenv("DISCREET_CACHE", "OFF")
    assert Cache.of("default") is None
    monkeypatch.delenv("DISCREET_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert Cache.of("default").folder == tmp_path / "discreet"
    assert Cache.of(None) is None
    assert Cache.of("off") is None


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert not _design(blocked).from_cache


def test_clearing_leaves_other_files_alone(tmp_path):
    _design(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    Cache(tmp_path).clear()
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_many_processes_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    done = context.Queue()
    workers = [context.Process(target=many_designs, args=(tmp_path, done)) for _ in range(3)]
    for worker in workers:
        worker.start()
    digests = {done.get(timeout=60) for _ in range(18)}
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(digests) == 2
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".design", ".design"]
