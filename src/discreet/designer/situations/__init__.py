"""Goals over several situations: the least worst ratio or regret."""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "method": "NAME losses_of over_situations simple_losses with_references",
        "search": "ForPrior Mixed least_worst",
    },
)
