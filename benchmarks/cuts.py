"""Shipping along edges without limits: as much as can be, and what is left (Dinic's way).

Nodes are 0, 1, …; an edge is a pair. What a node has to send is below 0, what it has room for
above.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Shipped:
    """A largest shipment, and the nodes that what is left can still reach: none if nothing is."""

    flows: list[int]
    reached: list[bool]


Edge = tuple[int, int]


def shipped(edges: Sequence[Edge], rooms: Sequence[int]) -> Shipped:
    """Ship what nodes have to send along edges to where there is room."""
    going = _Going(edges, [max(0, -room) for room in rooms], [max(0, room) for room in rooms])
    while going.measure():
        for source, level in enumerate(going.levels):
            while level == 0 and going.left[source] and going.sends(source):
                pass
    return Shipped(going.flows, [level >= 0 for level in going.levels])


@dataclass
class _Going:
    """A shipment that grows, by shortest ways."""

    edges: Sequence[Edge]
    left: list[int]
    """What each node has still to send."""
    free: list[int]
    """What each still has room for."""
    flows: list[int] = field(init=False)
    leaving: list[list[int]] = field(init=False)
    """The edges that start at each node."""
    coming: list[list[int]] = field(init=False)
    levels: list[int] = field(init=False)
    """How far each node is from what is left to send; −1 where nothing comes."""
    tried: list[int] = field(init=False)
    """How many ways from each node lead nowhere: edges that leave, then those that come."""

    def __post_init__(self) -> None:
        self.flows = [0] * len(self.edges)
        self.leaving = [[] for _ in self.left]
        self.coming = [[] for _ in self.left]
        for number, (tail, head) in enumerate(self.edges):
            self.leaving[tail].append(number)
            self.coming[head].append(number)

    def measure(self) -> bool:
        """Set the levels, up to the nearest room; false, if there is none within reach."""
        levels = self.levels = [0 if much else -1 for much in self.left]
        self.tried = [0] * len(levels)
        front, away = [node for node, much in enumerate(self.left) if much], 0
        while front and not any(self.free[node] for node in front):
            away += 1
            beyond = []
            for node in front:
                nexts = [self.edges[number][1] for number in self.leaving[node]]
                nexts += [self.edges[one][0] for one in self.coming[node] if self.flows[one]]
                for other in nexts:
                    if levels[other] < 0:
                        levels[other] = away
                        beyond.append(other)
            front = beyond
        return bool(front)

    def sends(self, source: int) -> bool:
        """Send as much as one shortest way bears; false, if there is no more such way."""
        node, walked = source, list[tuple[int, int]]()
        while not self.free[node]:
            step = self._step(node)
            if step is not None:
                walked.append(step)
                node = self.edges[step[0]][step[1]]
            elif walked:
                number, end = walked.pop()
                node = self.edges[number][1 - end]
                self.tried[node] += 1
            else:
                return False
        back = [self.flows[number] for number, end in walked if not end]
        much = min(self.left[source], self.free[node], *back)
        for number, end in walked:
            self.flows[number] += much if end else -much
        self.left[source] -= much
        self.free[node] -= much
        return True

    def _step(self, node: int) -> tuple[int, int] | None:
        """The next edge that leads one level on, and which end of it that is."""
        levels, edges, place = self.levels, self.edges, self.tried[node]
        outs, ins, level = self.leaving[node], self.coming[node], self.levels[node] + 1
        while place < len(outs) and levels[edges[outs[place]][1]] != level:
            place += 1
        if place >= len(outs):
            while place < len(outs) + len(ins):
                number = ins[place - len(outs)]
                if self.flows[number] and levels[edges[number][0]] == level:
                    break
                place += 1
        self.tried[node] = place
        if place < len(outs):
            return outs[place], 1
        return (ins[place - len(outs)], 0) if place < len(outs) + len(ins) else None
