"""Small questions by database, drawn at random."""

from fractions import Fraction

from hypothesis import strategies as st

from discreet.databases import (
    CountAbove,
    Custom,
    DatabaseGoal,
    Mean,
    Mode,
    Range,
    Sum,
    quantile,
)

RELATIONS = ("change", "add-or-remove")

statistics = st.one_of(
    st.integers(0, 4).map(lambda quarters: quantile(Fraction(quarters, 4))),
    st.just(Mode()),
    st.just(Range()),
    st.just(Mean()),
    st.just(Sum()),
    st.integers(0, 3).map(lambda value: CountAbove(Fraction(value))),
    st.just(Custom("distinct", lambda counts: sum(count > 0 for count in counts))),
)
goals = st.builds(
    DatabaseGoal.of,
    st.sampled_from(["absolute", "squared", "zero-one"]),
    st.sampled_from(["answers", "databases", "histograms"]),
) | st.builds(
    lambda loss: DatabaseGoal.of(loss, worst_case=True), st.sampled_from(["absolute", "zero-one"])
)
epsilons = st.sampled_from(["0.1", "0.5", "1", "2", "4"])
