"""Many answers from one charge: the errors of whole questions, beside an answer for each.

`now` is the plan that anybody gets who says nothing but ε; `each by itself` is the same planner
with nothing answered together. Other tools answer the same question their way, ε shared evenly.
"""

from benchmarks.joint.report import main

__all__ = ["main"]
