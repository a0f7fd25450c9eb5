"""Indices and powers are found in formulas, and names with underscores are left alone."""

import pytest
from docs._extensions.formulas import parts


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("e^ε", ["^ε"]),
        ("e^−ε·d", ["^−ε"]),
        ("x_j ≤ g·x_k", ["_j", "_k"]),
        ("α^{z_j}", ["^z_j"]),
        ("x_{h(i)} = 1", ["_h(i)"]),
        ("g^(−d(j, k))", ["^−d(j, k)"]),
        ("α^|i−j| is", ["^|i−j|"]),
        ("c_i(j) = q_j·ℓ(i, j)", ["_i", "_j"]),
        ("2^−48", ["^−48"]),
        ("(1 − α)^2", ["^2"]),
        ("a file_name, spare_output and x_", []),
        ("^ alone _ alone", []),
        ("min_i ⟨c_i, x⟩", ["_i", "_i"]),
        ("Σ_j y_j", ["_j", "_j"]),
    ],
)
def test_indices_and_powers(text, scripts):
    assert [kind + piece for kind, piece in parts(text) if kind] == scripts
