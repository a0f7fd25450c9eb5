"""A certificate is honest, and nothing but `certify` makes a certified mechanism."""

import copy
import dataclasses
import json
import pickle

import numpy as np
import pytest
from hypothesis import given

from discreet.certifier import Certified, certified, certify, tight_epsilon
from discreet.errors import MechanismError, NotCertified
from discreet.model import AllPairs, DenseMechanism, Graph, Grid, Labels, Mechanism, Within
from ground_truth import mechanisms, number_spaces

TWO = Grid.between(0, 1)
FLIP = Mechanism.of(TWO, TWO, AllPairs(), [[3, 1], [1, 3]])


def raw(weights, total=4, outputs=TWO, frozen=True):
    """A mechanism put together without `Mechanism.of`."""
    cells = np.array(weights)
    cells.setflags(write=not frozen)
    return DenseMechanism(
        answers=TWO, outputs=outputs, neighbours=AllPairs(), weights=cells, total=total
    )


def test_the_constructor_is_closed():
    promise = certify(FLIP, "log 3")
    for by in (None, object(), "certify"):
        with pytest.raises(MechanismError, match="can be certified only by"):
            Certified(FLIP, promise.certificate, by)


def test_no_subclass_can_pretend():
    with pytest.raises(TypeError):
        type("Forged", (Certified,), {})


def test_it_cannot_be_changed():
    promise = certify(FLIP, "log 3")
    for name in ("mechanism", "certificate", "guarantee", "other"):
        with pytest.raises(AttributeError):
            setattr(promise, name, None)
    with pytest.raises(AttributeError):
        del promise.mechanism
    with pytest.raises(dataclasses.FrozenInstanceError):
        promise.certificate.ratio = 5


def test_a_copy_is_certified_again(monkeypatch):
    promise = certify(FLIP, "log 3")
    packed = pickle.dumps(promise)
    assert pickle.loads(packed).certificate == promise.certificate
    assert copy.deepcopy(promise).mechanism.same_as(FLIP)

    def refuse(*_):
        raise NotCertified("checked again")

    monkeypatch.setattr(certified, "_check_pure", refuse)
    with pytest.raises(NotCertified, match="checked again"):
        pickle.loads(packed)


@pytest.mark.parametrize(
    "broken",
    [
        raw([[3, 1], [1, 2]]),
        raw([[3, 1], [1, 3]], total=5),
        raw([[0, 0], [0, 0]], total=0),
        raw([[5, 5], [-1, -1]]),
        raw([[3, 1]]),
        raw([[3.0, 1.0], [1.0, 3.0]]),
        raw(np.array([[3, 1], [1, 3.0]], dtype=object)),
        raw(np.array([[3, True], [1, 3]], dtype=object)),
        raw([[3, 1], [1, 3]], frozen=False),
        dataclasses.replace(FLIP, total=8),
        dataclasses.replace(FLIP, outputs=Grid.between(0, 2)),
    ],
)
def test_the_columns_are_not_believed(broken):
    with pytest.raises(MechanismError) as caught:
        certify(broken, "log 3")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("nothing", [None, 5, "coin", [[3, 1], [1, 3]], TWO])
def test_only_mechanisms(nothing):
    with pytest.raises(MechanismError, match=r"^only a mechanism can be certified, got "):
        certify(nothing, 1)


class Nobody(Graph):
    def pairs(self, size):
        return iter(())


def test_a_stranger_s_neighbours_are_not_believed():
    nobody = Nobody(2, frozenset({(0, 1)}))
    with pytest.raises(MechanismError, match="has an unknown kind of neighbours"):
        certify(Mechanism.of(TWO, TWO, nobody, [[1, 0], [0, 1]]), 1)


class Stranger(DenseMechanism):
    def column(self, answer):
        return np.array([4, 0])


def test_a_stranger_s_mechanism_is_not_certified():
    """Its matrix is private, the columns that would be drawn from are not."""
    facts = {field.name: getattr(FLIP, field.name) for field in dataclasses.fields(FLIP)}
    with pytest.raises(MechanismError, match=r"^only a mechanism can be certified, got "):
        certify(Stranger(**facts), "log 3")


def test_column_sums_are_not_taken_modulo_a_machine_word():
    weights = np.array([[2**62, 1]] * 4 + [[5, 1]], dtype=np.int64)
    assert weights.sum(axis=0).tolist() == [5, 5]
    weights.setflags(write=False)
    with pytest.raises(MechanismError, match="has columns that do not sum to the total"):
        certify(
            DenseMechanism(
                answers=TWO,
                outputs=Grid.between(0, 4),
                neighbours=AllPairs(),
                weights=weights,
                total=5,
            ),
            100,
        )


@given(mechanisms(number_spaces()))
def test_the_certificate_names_what_was_checked(mechanism):
    tight = tight_epsilon(mechanism)
    if not tight.is_finite or tight.high > 99:
        return
    found = certify(mechanism, tight.high + 1)
    content = found.certificate.to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["mechanism"] == mechanism.digest
    assert found.certificate.digest == certify(mechanism, tight.high + 1).certificate.digest
    assert found.certificate.digest != certify(mechanism, tight.high + 0.5).certificate.digest


@pytest.mark.parametrize(
    ("weights", "epsilon", "complaint"),
    [
        ([[4, 1], [1, 4]], 1, "not private at ε = 1: output 0 is 4 times as likely under 0 as "
                              "under 1, at most 2.71828 is allowed"),
        ([[1, 2], [4, 3]], "0.1", "not private at ε = 0.1: output 0 is 2 times as likely under 1 "
                                  "as under 0, at most 1.10517 is allowed"),
        ([[3 * 10**17 + 1, 10**17], [10**17, 3 * 10**17 + 1]], "log 3",
         "not private at ε = log 3: output 0 is 3 times as likely under 0 as under 1, at most 3 "
         "is allowed (exceeded by 3.3e-18 of it)"),
        ([[10**400, 1], [1, 10**400]], 1,
         "not private at ε = 1: output 0 is more than 2^1328 times as likely under 0 as under 1, "
         "at most 2.71828 is allowed"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_pair_and_by_how_much(weights, epsilon, complaint):
    with pytest.raises(NotCertified) as caught:
        certify(Mechanism.of(TWO, TWO, AllPairs(), weights), epsilon)
    assert str(caught.value) == complaint


def test_labels_are_named():
    names = Labels.of(["red", "green"])
    with pytest.raises(NotCertified, match="output red is 3 times as likely under red as under g"):
        certify(Mechanism.of(names, names, Within(1), [[3, 1], [1, 3]]), 1)
