"""The planner: from a question and public facts to the mechanism that answers it best."""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "accuracy": "Accuracy",
        "candidates.candidate": "Candidate Figures Maker Task",
        "candidates.choice": "MAKERS choose forget",
        "consistency": "consistent_counts",
        "grouping": "Grouping group_names grouping_of",
        "parts": "Choice Part",
        "planner": "plan",
        "plans": "Plan ReadyPlan",
        "pricing": "Allowance Price Worth price_of typical_questions worth_of",
        "promises": "promise_text",
        "reading": "Counting Reading counting_select moments_of tallies_of",
        "reasons": "Caution Imputed Misfit Note Unsuitable",
        "releases.release": "DrawnValue Interval Ready Release Value",
        "search": "smallest_epsilon",
        "showing": "plan_html plan_sentence",
        "subjects.subject": "Sharing Subject subject_of true_index",
        "wishes": "About IntervalRule Wishes",
        "words": "note_text reason_text sense_text",
    },
)
