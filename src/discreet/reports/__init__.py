"""What is handed in when questions are answered: a report of a dataset's released answers."""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "check": "differences",
        "html": "report_html",
        "markdown": "report_markdown",
        "naming": "items_of maybe_empty statistic_names",
        "pictures": "answer_pictures",
        "release": "OtherRelease ReleaseReport ReportedAnswer report_of",
    },
)
