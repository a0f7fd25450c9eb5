"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.graphs.automorphisms import find_automorphism, is_automorphism, transitive
from discreet.graphs.best import best_mechanism
from discreet.graphs.comparison import Comparison, CostLine, compare, compare_symmetric
from discreet.graphs.database_graph import DatabaseGraph
from discreet.graphs.exponentials import (
    Exponential,
    full_exponential,
    half_exponential,
    widest_exponential,
)
from discreet.graphs.families import complete, cycle, databases, hypercube, path
from discreet.graphs.files import load_graph
from discreet.graphs.histogram_graph import histograms, sorted_histograms
from discreet.graphs.histogram_mechanism import TightHistograms, tight_histograms
from discreet.graphs.large_comparison import compare_large
from discreet.graphs.large_histograms import LargeHistograms
from discreet.graphs.layered import LayeredMechanism, layer_cost, layer_cost_bounds
from discreet.graphs.layers import LayerDegrees, layer_degrees, regular_layers
from discreet.graphs.optimum import (
    Optimum,
    mean_optima_4_and_5,
    optima_2_and_3,
    optimum_1,
    optimum_2,
    optimum_3,
    optimum_4,
    optimum_5,
)
from discreet.graphs.symmetric import Hamming, Ring, SymmetricGraph
from discreet.graphs.theorem_1 import (
    ClosedForm,
    Conditions,
    ImplicitClosedForm,
    conditions,
    implicit_exponential,
    optimal_exponential,
)
from discreet.graphs.tight import TightMechanism, tight_mechanism

__all__ = [
    "ClosedForm",
    "Comparison",
    "Conditions",
    "CostLine",
    "DatabaseGraph",
    "Exponential",
    "Hamming",
    "ImplicitClosedForm",
    "LargeHistograms",
    "LayerDegrees",
    "LayeredMechanism",
    "Optimum",
    "Ring",
    "SymmetricGraph",
    "TightHistograms",
    "TightMechanism",
    "best_mechanism",
    "compare",
    "compare_large",
    "compare_symmetric",
    "complete",
    "conditions",
    "cycle",
    "databases",
    "find_automorphism",
    "full_exponential",
    "half_exponential",
    "histograms",
    "hypercube",
    "implicit_exponential",
    "is_automorphism",
    "layer_cost",
    "layer_cost_bounds",
    "layer_degrees",
    "load_graph",
    "mean_optima_4_and_5",
    "optima_2_and_3",
    "optimal_exponential",
    "optimum_1",
    "optimum_2",
    "optimum_3",
    "optimum_4",
    "optimum_5",
    "path",
    "regular_layers",
    "sorted_histograms",
    "tight_histograms",
    "tight_mechanism",
    "transitive",
    "widest_exponential",
]
