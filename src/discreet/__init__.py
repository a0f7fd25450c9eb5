"""discreet: the most accurate answer that differential privacy allows, proved in exact integers.

Everything public is here; each name is fetched from its room when it is first used, so that
`import discreet` costs next to nothing.

>>> import discreet
>>> likert = discreet.Grid.between(1, 5)
>>> likert, discreet.Epsilon.of("0.5")
(Grid(1, 5), Epsilon('0.5'))
"""

import importlib
from typing import Any

from discreet.on_demand import face

_ROOMS = {
    "budget": "Ledger audit",
    "client": "AsyncClient Client",
    "certifier": "Certificate Certified certify smallest_delta tight_epsilon",
    "curator": "Answer Curator Order open_dataset",
    "designer": "Design design",
    "errors": "BudgetError DatasetError DesignError DiscreetError EpsilonError FactsChanged "
    "FileError GoalError IdTaken InvalidInput LedgerError MechanismError MissingExtra "
    "NeighboursError NotCertified NotPrepared OverBudget PlanChanged QuestionError ServiceError "
    "SpaceError UnknownReceipt",
    "exact": "Epsilon",
    "measures": "Measures bayes_remap measure properties",
    "mechanisms": "FAMILIES build",
    "model": "AllPairs Goal Graph Grid Guarantee Labels Listed Loss Mechanism Prior Requirements "
    "Situation Situations Within extended load_mechanism save_mechanism scaled",
    "planning": "Plan Wishes",
    "sampling": "draw draw_many",
}
_NAMES, _fetch, _listed = face(__name__, _ROOMS)

__all__ = ["__version__", *_NAMES]  # noqa: PLE0604  the types are in __init__.pyi


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("discreet")
    return _fetch(name)


def __dir__() -> list[str]:
    return ["__version__", *_listed()]


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext discreet` calls: cells may begin with %%discreet."""
    importlib.import_module("discreet.curator.notebook").add_to(shell)
