"""A reader's browser recomputes certificates as the certifier does, and notices any change."""

import copy
import hashlib
import json
from fractions import Fraction

import pytest

from discreet.certifier import certify
from discreet.designer import design, queries
from discreet.errors import NotCertified
from discreet.exact import Epsilon
from discreet.model import AllPairs, DenseMechanism, Grid, Guarantee, Mechanism, Within
from discreet.model.ray_mechanism import FIELDS
from discreet.planning import plan
from discreet.questions import parse_sql
from discreet.tables import read_dataset
from discreet.web.mechanisms import document_of, documents_of
from served_pages import write_survey

KINDS = """async (documents) => {
  const { checkedCertificate } = await import("/static/certificates.js");
  const told = [];
  for (const one of documents) told.push(await checkedCertificate(...one));
  return told.map((one) => [!one.wrong.length, one.matrices ?? 0, one.noises ?? 0, one.left ?? 0]);
}"""
RUN = """async (documents) => {
  const { checkedCertificate } = await import("/static/certificates.js");
  const told = [];
  for (const one of documents) told.push((await checkedCertificate(...one)).wrong);
  return told;
}"""


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A matrix, a noise and rays that answers are drawn from, by their certificates."""
    dataset = read_dataset(write_survey(tmp_path_factory.mktemp("facts")))
    question = parse_sql("SELECT COUNT(*) GROUP BY clinic", dataset)
    found = documents_of(plan(question, dataset, epsilon=Epsilon.of("0.5")))
    for mean in (queries.mean(10, 0, 4), queries.mean(20, 0, 4)):  # a matrix, and rays
        designed = design(mean.answers, mean.neighbours, "0.5").certified
        found[designed.certificate.digest] = document_of(designed)
    return found


def _forged(document, epsilon):
    """The same under a promise that nobody proved, with every digest as it should be."""
    certificate = json.loads(document["certificate"])
    promise = Guarantee.of(epsilon)
    certificate |= {"epsilon": str(promise.epsilon), "ratio": str(promise.epsilon.ratio_below)}
    text = json.dumps(certificate, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest(), {**document, "certificate": text}


def _matrix(weights, neighbours, epsilon):
    """A matrix with a certificate that says ε, true or not; and whether it is."""
    space = Grid(Fraction(0), Fraction(1), len(weights[0]))
    mechanism = Mechanism.of(
        space, Grid(Fraction(0), Fraction(1), len(weights)), neighbours, weights
    )
    assert isinstance(mechanism, DenseMechanism)
    document = {
        "certificate": json.dumps({"mechanism": mechanism.digest, "delta": "0"}),
        "facts": mechanism.facts_text,
        "weights": [[str(cell) for cell in row] for row in mechanism.weights.tolist()],
    }
    try:
        certify(mechanism, epsilon)
    except NotCertified:
        return _forged(document, epsilon), False
    return _forged(document, epsilon), True


def _changed(document, field):
    """One number more, somewhere in the middle."""
    other = copy.deepcopy(document)
    if field == "noise":
        other["noise"] = other["noise"].replace('"width": ', '"width": 1')
    elif field == "certificate":
        other["certificate"] = other["certificate"].replace('"delta": "0"', '"delta": "1"')
    elif field == "first":
        other["first"][0] += 1
    else:
        row = other[field][len(other[field]) // 2]
        row[len(row) // 2] = str(int(row[len(row) // 2]) + 1)
    return other


def test_the_browser_agrees_with_the_certifier(opened, house, real):
    """Of true, forged and changed certificates, and of matrices on both sides of a bound."""
    kinds = {"weights": 0, "ladders": 0, "noise": 0}
    cases, wanted = [], []
    for digest, document in real.items():
        (kind,) = kinds.keys() & document.keys()
        kinds[kind] += 1
        cases.append((digest, document))
        wanted.append(True)
        for field in (kind, "certificate", *(("first",) if kind == "ladders" else ())):
            cases.append((digest, _changed(document, field)))
            wanted.append(False)
        cases.append(_forged(document, "0.4"))
        wanted.append(False)
        if kind == "weights":  # as private, and not what was certified
            twice = [[str(2 * int(cell)) for cell in row] for row in document["weights"]]
            cases.append((digest, {**document, "weights": twice}))
            wanted.append(False)
    assert min(kinds.values()) > 0, kinds
    three = [[4, 2, 1], [2, 3, 2], [1, 2, 4]]
    for neighbours in (AllPairs(), Within(1), Within(2)):
        for epsilon in ("log 4", "log 2", "1.4", "1.387", "1.386", "0.694", "0.693", "30"):
            case, kept = _matrix(three, neighbours, epsilon)
            cases.append(case)
            wanted.append(kept)
    case, kept = _matrix([[1, 0], [1, 2]], AllPairs(), "5")
    cases.append(case)
    wanted.append(kept)
    assert {True, False} == set(wanted[-20:])
    page = opened()
    page.goto(f"{house.base}/sign-in")
    told = page.evaluate(RUN, cases)
    assert [not wrong for wrong in told] == wanted, told


def _with(document, **facts):
    """The same under a certificate that says something else, with its digest as it should be."""
    text = json.dumps(json.loads(document["certificate"]) | facts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest(), {**document, "certificate": text}


def _noise(document, **facts):
    """The same noise with other facts, and a certificate of it."""
    text = json.dumps(json.loads(document["noise"]) | facts, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return _with({**document, "noise": text}, mechanism=digest)


def test_signs_and_facts_that_are_not_there_prove_nothing(opened, house, real):
    """With two signs a comparison turns around; what is left to the command is not said to hold."""
    open_book = [[1, 0], [0, 1]]
    (_, bare), kept = _matrix(open_book, AllPairs(), "5")
    assert not kept
    noise = next(one for one in real.values() if "noise" in one)
    facts = json.loads(noise["noise"])
    page = opened()
    page.goto(f"{house.base}/sign-in")
    cases = {
        "signs": _with(bare, ratio="-1000/-1"),
        "log": _with(bare, ratio="2", epsilon="log -1/-2"),
        "nought": _with(bare, ratio="1/0"),
        "rate": _noise(noise, rate=f"-{facts['rate']}"),
        "nobody": _noise(noise, rows_per_unit=0),
        "unsaid": _noise(noise, rows_per_unit=None),
    }
    told = page.evaluate(KINDS, list(cases.values()))
    assert not any(good for good, *_ in told), dict(zip(cases, told, strict=True))
    checked, left = page.evaluate(KINDS, [_noise(noise), _noise(noise, different=True)])
    assert checked == [True, 0, 1, 0]
    assert left == [True, 0, 0, 1]


def _rays(document, **changes):
    """Other rays under facts and a certificate of their own, with every digest as it should be."""
    told = {**document, **changes}
    words = [int(one) for ladder in told["ladders"] for one in ladder]
    words += [int(one) for name in FIELDS for one in told[name]]
    cut = b"".join((one & (1 << 64) - 1).to_bytes(8, "little") for one in words)
    digest = hashlib.sha256(told["facts"].encode() + cut).hexdigest()
    return _with(told, mechanism=digest)


def _said(facts, **more):
    return json.dumps(json.loads(facts) | more)


def _graph(edges):
    """An open book whose answers are neighbours by these pairs alone."""
    (_, bare), _ = _matrix([[1, 0], [0, 1]], AllPairs(), "5")
    facts = _said(bare["facts"], neighbours={"kind": "graph", "size": 2, "edges": edges})
    digest = hashlib.sha256((facts + "1 0\n0 1\n").encode()).hexdigest()
    return _with({**bare, "facts": facts}, mechanism=digest)


def _one_sided(big):
    """Forms that notice one side of a line alone; as floats their entries add up to nothing."""
    line = [[[0, 1], [1, big]], [[0, 2], [1, 2 * big]]]
    return [*line, [[1, 1]], *([[place, -entry] for place, entry in form] for form in line)]


def test_neighbours_rays_and_gauges_that_nobody_has_prove_nothing(opened, house, real):
    """No step, no pair, numbers that are hashed as others, gauges that notice nothing."""
    rays = next(one for one in real.values() if "ladders" in one)
    noise = next(one for one in real.values() if "noise" in one)
    told = json.loads(noise["noise"])
    twice = [[[[place, 9], [place, 0]] for ((place, _),) in told["row"][0]]]
    cases = {
        "no step": _rays(
            rays, facts=_said(rays["facts"], neighbours={"kind": "within", "steps": 0})
        ),
        "words": _rays(rays, first=[str(one) for one in rays["first"]]),
        "fewer": _rays(rays, stride=rays["stride"][:-1]),
        "hashed as another": _rays(
            rays,
            facts=_said(rays["facts"], total=str(1 << 80)),
            ladders=[[str(int(one) + (1 << 64)) for one in row] for row in rays["ladders"]],
        ),
        "alone": _graph([[0]]),
        "itself": _graph([[0, 0]]),
        "nobody": _graph([]),
        "text": _graph([["0", "1"]]),
        "nothing": _noise(noise, summands=[*told["summands"], []]),
        "below nothing": _noise(noise, summands=[[[[0, 1]]], *told["summands"]]),
        "unnoticed": _noise(noise, summands=told["summands"][:1], equations=[]),
        "one noticed": _noise(noise, summands=[[[[0, 1]], [[0, -1]]]], equations=[]),
        "no rows": _noise(noise, row=[[]]),
        "no width": _noise(noise, row=[[[]]], width=0),
        "places as words": _noise(noise, row=[[[["0", 9]]]]),
        "twice": _noise(noise, row=twice),
        "another place": _noise(noise, dimension=told["dimension"] - 1),
        "told as it is": _noise(noise, equations=[*told["equations"], [[0, 1]]]),
        "coming": _noise(noise, relation="add-or-remove"),
        "rounded away": _noise(
            noise, dimension=2, equations=[], row=[[[]]], summands=[_one_sided(4 * 10**15)]
        ),
    }
    page = opened()
    page.goto(f"{house.base}/sign-in")
    seen = dict(zip(cases, page.evaluate(KINDS, list(cases.values())), strict=True))
    assert not [name for name, (good, *_) in seen.items() if good], seen
    assert all(good for good, *_ in page.evaluate(KINDS, [_rays(rays), _noise(noise)]))


def test_a_certificate_for_more_than_was_paid_is_seen_in_logarithms_too(opened, house):
    """ε = log 3 costs 1.098612289 at least."""
    more = """async (pairs) => {
      const { promisesMore } = await import("/static/certificates.js");
      return pairs.map((pair) => promisesMore(...pair));
    }"""
    pairs = {
        ("0.5", "0.5"): False,
        ("0.500000001", "0.5"): True,
        ("log 3", "1.098612289"): False,
        ("log 3", "1.098612288"): True,
        ("log 1000000", "0.1"): True,
        ("log 4/3", "0.287682073"): False,
    }
    page = opened()
    page.goto(f"{house.base}/sign-in")
    assert page.evaluate(more, list(pairs)) == list(pairs.values())
