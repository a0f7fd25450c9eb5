"""The tight-constraints mechanism: two linear solves, and a test of whether nothing is better.

With γ = e^−ε and G = (γ^d(x,y)), w = G⁻¹1 makes p(y|x) = w_y·γ^d(x,y) a private mechanism wherever
w ≥ 0 (ElSalamouny, Chatzikokolakis & Palamidessi 2013). When it is optimal, a second solve tells:
docs/proofs/tight-constraints.md.
"""

from discreet.designer.tight.method import TIGHT, TIGHT_ANYWAY
from discreet.designer.tight.problem import TightProblem
from discreet.designer.tight.solving import SolverArithmetic, TightConstraints, tight_constraints

__all__ = [
    "TIGHT",
    "TIGHT_ANYWAY",
    "SolverArithmetic",
    "TightConstraints",
    "TightProblem",
    "tight_constraints",
]
