"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.planning.accuracy import Accuracy
from discreet.planning.candidates.candidate import Candidate, Figures, Maker, Task
from discreet.planning.candidates.choice import MAKERS, choose, forget
from discreet.planning.consistency import consistent_counts
from discreet.planning.grouping import Grouping, group_names, grouping_of
from discreet.planning.parts import Choice, Part
from discreet.planning.planner import plan
from discreet.planning.plans import Plan, ReadyPlan
from discreet.planning.pricing import (
    Allowance,
    Price,
    Worth,
    price_of,
    typical_questions,
    worth_of,
)
from discreet.planning.promises import promise_text
from discreet.planning.reading import Counting, Reading, counting_select, moments_of, tallies_of
from discreet.planning.reasons import Caution, Imputed, Misfit, Note, Unsuitable
from discreet.planning.releases.release import DrawnValue, Interval, Ready, Release, Value
from discreet.planning.search import smallest_epsilon
from discreet.planning.showing import (
    plan_html,
    plan_sentence,
)
from discreet.planning.subjects.subject import Sharing, Subject, subject_of, true_index
from discreet.planning.wishes import About, IntervalRule, Wishes
from discreet.planning.words import note_text, reason_text, sense_text

__all__ = [
    "MAKERS",
    "About",
    "Accuracy",
    "Allowance",
    "Candidate",
    "Caution",
    "Choice",
    "Counting",
    "DrawnValue",
    "Figures",
    "Grouping",
    "Imputed",
    "Interval",
    "IntervalRule",
    "Maker",
    "Misfit",
    "Note",
    "Part",
    "Plan",
    "Price",
    "Reading",
    "Ready",
    "ReadyPlan",
    "Release",
    "Sharing",
    "Subject",
    "Task",
    "Unsuitable",
    "Value",
    "Wishes",
    "Worth",
    "choose",
    "consistent_counts",
    "counting_select",
    "forget",
    "group_names",
    "grouping_of",
    "moments_of",
    "note_text",
    "plan",
    "plan_html",
    "plan_sentence",
    "price_of",
    "promise_text",
    "reason_text",
    "sense_text",
    "smallest_epsilon",
    "subject_of",
    "tallies_of",
    "true_index",
    "typical_questions",
    "worth_of",
]
