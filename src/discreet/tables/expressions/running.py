"""Derived columns in a SELECT: what is used more than once is worked out in a layer of its own."""

from collections import Counter
from collections.abc import Mapping

from sqlglot import exp

from discreet.tables.columns import GAP
from discreet.tables.expressions.derived import Derived
from discreet.tables.expressions.program import Fixed, Read, Step

_LONGEST = 2_000
"""Longer pieces of SQL have a layer of their own, even if they are used once."""
_CELLS = "\x1fcells"
"""Stands for the layers: no column is called so."""


class _Layers:
    """The columns to be worked out before others can be, layer by layer."""

    def __init__(self) -> None:
        self.layers: list[list[str]] = []
        self._done: dict[int, tuple[str, int]] = {}
        self._uses: Counter[int] = Counter()
        self._kept: list[Step] = []

    def add(self, step: Step) -> str:
        """The name of the column that holds what a step says."""
        self._count(step)
        text, layer = self._written(step)
        return self._named(f"COALESCE({text}, {GAP})", layer)[0]

    def _count(self, step: Step) -> None:
        self._uses[id(step)] += 1
        self._kept.append(step)
        if self._uses[id(step)] == 1:
            for one in step.inputs:
                self._count(one)

    def _written(self, step: Step) -> tuple[str, int]:
        """A step as SQL, and how many layers must be there for it."""
        if id(step) in self._done:
            return self._done[id(step)]
        inputs = [self._written(one) for one in step.inputs]
        text = step.sql([one for one, _ in inputs])
        layer = max((layer for _, layer in inputs), default=0)
        plain = isinstance(step, Fixed | Read)
        if not plain and (self._uses[id(step)] > 1 or len(text) > _LONGEST):
            name, layer = self._named(text, layer)
            text = f'"{name}"'
        self._done[id(step)] = (text, layer)
        return text, layer

    def _named(self, text: str, layer: int) -> tuple[str, int]:
        while len(self.layers) <= layer:
            self.layers.append([])
        name = f"\x1f{layer}.{len(self.layers[layer])}"
        self.layers[layer].append(f'{text} AS "{name}"')
        return name, layer + 1


def with_derived(select: exp.Select, derived: Mapping[str, Derived]) -> str:
    """The SELECT as text, over a table that has these derived columns too, by their names.

    The layers are DuckDB's words already: to read them back as a tree takes longer than all else.
    """
    layers = _Layers()
    names = {name: layers.add(one.index) for name, one in derived.items()}

    def placed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and node.name in names:
            return exp.column(names[node.name], quoted=True)
        return node

    made = select.transform(placed)
    assert isinstance(made, exp.Select)
    origin = (made.args.get("from_") or made.args["from"]).this.sql(dialect="duckdb")
    for layer in layers.layers:
        origin = f"(SELECT *, {', '.join(layer)} FROM {origin}) AS cells"
    text = made.from_(exp.to_identifier(_CELLS, quoted=True)).sql(dialect="duckdb")
    before, clause, after = text.partition(f'FROM "{_CELLS}"')
    assert clause
    return f"{before}FROM {origin}{after}"
