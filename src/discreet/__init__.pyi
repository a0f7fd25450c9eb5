"""The types of the public namespace; `__init__.py` fetches each name when it is first used."""

from discreet.certify import Certificate as Certificate
from discreet.certify import Certified as Certified
from discreet.certify import certify as certify
from discreet.certify import smallest_delta as smallest_delta
from discreet.certify import tight_epsilon as tight_epsilon
from discreet.design import Design as Design
from discreet.design import design as design
from discreet.errors import DesignError as DesignError
from discreet.errors import DiscreetError as DiscreetError
from discreet.errors import EpsilonError as EpsilonError
from discreet.errors import FileError as FileError
from discreet.errors import GoalError as GoalError
from discreet.errors import InvalidInput as InvalidInput
from discreet.errors import MechanismError as MechanismError
from discreet.errors import NeighboursError as NeighboursError
from discreet.errors import NotCertified as NotCertified
from discreet.errors import SpaceError as SpaceError
from discreet.exact import Epsilon as Epsilon
from discreet.measures import Measures as Measures
from discreet.measures import bayes_remap as bayes_remap
from discreet.measures import measure as measure
from discreet.measures import properties as properties
from discreet.mechanisms import FAMILIES as FAMILIES
from discreet.mechanisms import build as build
from discreet.model import AllPairs as AllPairs
from discreet.model import Goal as Goal
from discreet.model import Graph as Graph
from discreet.model import Grid as Grid
from discreet.model import Guarantee as Guarantee
from discreet.model import Labels as Labels
from discreet.model import Listed as Listed
from discreet.model import Loss as Loss
from discreet.model import Mechanism as Mechanism
from discreet.model import Prior as Prior
from discreet.model import Requirements as Requirements
from discreet.model import Within as Within
from discreet.model import extended as extended
from discreet.model import load_mechanism as load_mechanism
from discreet.model import save_mechanism as save_mechanism
from discreet.model import scaled as scaled
from discreet.sampling import draw as draw
from discreet.sampling import draw_many as draw_many

__version__: str
