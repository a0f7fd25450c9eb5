"""The best mechanism for a space and a goal, with a proof of how good it is."""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "cache": "Cache",
        "entry": "Attempt Design METHODS design",
        "queries": "Query count maximum mean median minimum quantile total",
        "request": "Finding Method Progress Request",
    },
)
