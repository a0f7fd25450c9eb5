"""The planner: from a question and public facts to the mechanism that answers it best."""

from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.choice import MAKERS, Choice, choose, forget
from discreet.planning.candidates.figures import Figures
from discreet.planning.consistency import consistent_counts
from discreet.planning.planner import Answer, Part, Plan, plan
from discreet.planning.reading import Reading, counting_select, histograms_of
from discreet.planning.recent import Recent
from discreet.planning.releases.release import Interval, Release, Value
from discreet.planning.search import smallest_epsilon
from discreet.planning.sharing import Sharing, group_names
from discreet.planning.showing import (
    plan_html,
    plan_sentence,
)
from discreet.planning.subjects.subject import Subject, subject_of, true_index
from discreet.planning.wishes import Wishes
from discreet.statistics import Histogram

__all__ = [
    "MAKERS",
    "Answer",
    "Candidate",
    "Choice",
    "Figures",
    "Histogram",
    "Interval",
    "Maker",
    "Part",
    "Plan",
    "Reading",
    "Recent",
    "Release",
    "Sharing",
    "Subject",
    "Task",
    "Value",
    "Wishes",
    "choose",
    "consistent_counts",
    "counting_select",
    "forget",
    "group_names",
    "histograms_of",
    "plan",
    "plan_html",
    "plan_sentence",
    "smallest_epsilon",
    "subject_of",
    "true_index",
]
