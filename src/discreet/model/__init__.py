"""The nouns, all frozen: spaces, outputs, neighbours, goals, requirements, mechanisms, promises."""

from discreet.model.files import (
    load_mechanism,
    mechanism_from_dict,
    mechanism_to_dict,
    save_mechanism,
)
from discreet.model.goal import Goal, Guarantee, Requirement, Requirements
from discreet.model.losses import Loss, LossLike, LossName, Prior, PriorLike
from discreet.model.mechanism import (
    DenseMechanism,
    Integers,
    Mechanism,
    category_of,
    edges,
    extended,
    scaled,
)
from discreet.model.neighbours import (
    ONE_RECORD,
    AllPairs,
    Graph,
    Neighbours,
    Relation,
    Within,
    places_apart,
    sensitivity,
)
from discreet.model.ray_mechanism import RayBlocks, RayMechanism
from discreet.model.situations import Situation, Situations, Yardstick
from discreet.model.spaces import Grid, Labels, Listed, Numbers, Space, numbers_of

__all__ = [
    "ONE_RECORD",
    "AllPairs",
    "DenseMechanism",
    "Goal",
    "Graph",
    "Grid",
    "Guarantee",
    "Integers",
    "Labels",
    "Listed",
    "Loss",
    "LossLike",
    "LossName",
    "Mechanism",
    "Neighbours",
    "Numbers",
    "Prior",
    "PriorLike",
    "RayBlocks",
    "RayMechanism",
    "Relation",
    "Requirement",
    "Requirements",
    "Situation",
    "Situations",
    "Space",
    "Within",
    "Yardstick",
    "category_of",
    "edges",
    "extended",
    "load_mechanism",
    "mechanism_from_dict",
    "mechanism_to_dict",
    "numbers_of",
    "places_apart",
    "save_mechanism",
    "scaled",
    "sensitivity",
]
