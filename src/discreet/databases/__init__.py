"""Design by database: columns are histograms, so a mechanism may use all that the table says."""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "entry": "DatabaseDesign design_by_database",
        "goal": "DatabaseGoal",
        "listing": "Databases",
        "statistics": "CountAbove Custom Mean Mode PossibleTruths Range Rank Statistic Sum "
        "Together maximum median minimum quantile truth_of",
    },
)
