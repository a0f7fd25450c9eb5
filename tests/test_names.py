"""A class name means one thing in the whole program: whoever reads it need not ask which."""

import ast
from collections import Counter
from pathlib import Path

import discreet

ROOT = Path(discreet.__file__).parent


def test_no_class_name_is_defined_twice():
    found = Counter(
        node.name
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, times in found.items() if times > 1} == set()
