"""Graphs whose nodes are databases, and the optimality theory of paper 002.

Nouns: `DatabaseGraph` (listed nodes), `Hamming` and `Ring` (symmetric, never listed). Theory:
conditions of Theorem 1, its closed form, LP[1]–LP[5], the bounds for paths, and `compare`.
"""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "automorphisms": "find_automorphism is_automorphism transitive",
        "best": "best_mechanism",
        "comparison": "Comparison CostLine compare compare_symmetric",
        "database_graph": "DatabaseGraph",
        "exponentials": "Exponential full_exponential half_exponential widest_exponential",
        "families": "complete cycle databases hypercube path",
        "files": "load_graph",
        "histogram_graph": "histograms sorted_histograms",
        "histogram_mechanism": "TightHistograms tight_histograms",
        "large_comparison": "compare_large",
        "large_histograms": "LargeHistograms",
        "layered": "LayeredMechanism layer_cost layer_cost_bounds",
        "layers": "LayerDegrees layer_degrees regular_layers",
        "optimum": "Optimum mean_optima_4_and_5 optima_2_and_3 optimum_1 optimum_2 optimum_3 "
        "optimum_4 optimum_5",
        "symmetric": "Hamming Ring SymmetricGraph",
        "theorem_1": "ClosedForm Conditions ImplicitClosedForm conditions implicit_exponential "
        "optimal_exponential",
        "tight": "TightMechanism tight_mechanism",
    },
)
