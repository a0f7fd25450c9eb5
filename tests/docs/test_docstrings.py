"""Every stable function says what it takes, what it returns and what it raises."""

import ast
import builtins
import inspect
import re
import textwrap

import pytest

import discreet


def functions():
    """Functions of `discreet.__all__`, and the methods of its classes, by name."""
    seen = set()
    for name in discreet.__all__:
        thing = getattr(discreet, name)
        if inspect.isfunction(thing):
            yield name, inspect.unwrap(thing)
        elif inspect.isclass(thing):
            for each, member in inspect.getmembers(thing):
                made = inspect.unwrap(getattr(member, "__func__", member))
                ours = inspect.isfunction(made) and made.__module__.startswith("discreet.")
                if ours and not each.startswith("_") and made not in seen:
                    seen.add(made)
                    yield made.__qualname__, made


FUNCTIONS = dict(functions())


def parameters(function):
    names = [name.lstrip("*") for name in inspect.signature(function).parameters]
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def sections(function):
    """The parts of a docstring by heading, and what stands in front of them."""
    text = inspect.getdoc(function) or ""
    parts = re.split(r"^(Args|Returns|Yields|Raises):\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def raised(function):
    """The names of the errors that the function itself raises."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = ast.unparse(node.exc.func)
            if name[0].isupper():
                yield name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_are_described_one_by_one(name):
    wanted = parameters(FUNCTIONS[name])
    told = re.findall(r"^ {4}(\w+): ", sections(FUNCTIONS[name]).get("Args", ""), re.M)
    assert told == wanted


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_comes_back_is_described(name):
    function = FUNCTIONS[name]
    back = inspect.signature(function).return_annotation
    if parameters(function) and back not in (None, "None"):
        assert "Returns" in sections(function) or "Yields" in sections(function)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_raised_is_described(name):
    told = re.findall(r"^ {4}(\w+): ", sections(FUNCTIONS[name]).get("Raises", ""), re.M)
    assert set(raised(FUNCTIONS[name])) <= set(told)
    assert all(hasattr(discreet, error) or hasattr(builtins, error) for error in told)
