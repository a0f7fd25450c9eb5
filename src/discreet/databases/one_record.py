"""Where one record alone can make every answer true: worst cases need no program by database.

Claim and proof: docs/proofs/by-database.md, Claim 3.
"""

from dataclasses import replace

import numpy as np

from discreet.databases.listing import Databases
from discreet.databases.task import DatabaseTask
from discreet.designer.request import Request
from discreet.model import AllPairs, Goal, Prior, Relation


def one_record_decides(task: DatabaseTask) -> bool:
    """Whether some tables that differ in one and the same record have all answers between them.

    >>> from discreet.databases import DatabaseGoal, Mean, median
    >>> def decides(statistic):
    ...     databases = Databases.of(5, [1, 2, 3])
    ...     return one_record_decides(DatabaseTask.of(statistic, databases, 1, DatabaseGoal()))
    >>> decides(median()), decides(Mean())
    (True, False)
    """
    databases, answers = task.databases, len(task.truth.answers)
    values = len(databases.values)
    if databases.relation != Relation.CHANGE or answers > values or databases.largest < 2:
        return False
    others = Databases.of(databases.largest - 1, databases.values).counts
    places = np.stack(
        [
            task.truth.of_column[databases.columns(others + np.eye(values, dtype=np.int64)[value])]
            for value in range(values)
        ],
        axis=1,
    )
    places.sort(axis=1)
    distinct = 1 + (places[:, 1:] > places[:, :-1]).sum(axis=1)
    return bool((distinct == answers).any())


def worst_by_answer(task: DatabaseTask) -> Request:
    """The same worst case of the answers alone, any two of them neighbours."""
    request = task.request
    goal = Goal(task.goal.loss, Prior(), worst_case=True)
    asked = Request.of(
        task.truth.answers, AllPairs(), request.epsilon, goal, outputs=request.outputs
    )
    return replace(asked, progress=request.progress)
