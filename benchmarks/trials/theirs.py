"""Other tools' answers to the trials, drawn anew on the same tables."""

import sys
from dataclasses import dataclass, field

import numpy as np

from benchmarks.peers import Peer, PeerError
from benchmarks.trials.trial import Numbers, Tables, Trial

SCRIPTS = {
    "OpenDP": "trials_opendp",
    "diffprivlib": "trials_diffprivlib",
    "PyDP": "trials_pydp",
}


@dataclass
class Theirs:
    """The tools that could be installed, each running in a process of its own."""

    running: dict[str, Peer] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @classmethod
    def start(cls) -> "Theirs":
        """Start every tool; one that cannot be installed is left out, and that is said."""
        started = cls()
        for tool, script in SCRIPTS.items():
            try:
                started.running[tool] = Peer("libraries", script)
            except (PeerError, OSError) as problem:
                print(f"{tool} is left out: {problem}", file=sys.stderr)
        return started

    def answers(self, tool: str, trial: Trial, epsilon: str, tables: Tables) -> Numbers | None:
        """One answer of a tool for each table; None when it has none."""
        peer = self.running.get(tool)
        if peer is None:
            return None
        request = {"kind": trial.kind, "epsilon": float(epsilon), "tables": tables.tolist()}
        try:
            reply = peer.ask(request)
        except PeerError as problem:
            print(f"{tool} does not answer {trial.name}: {problem}", file=sys.stderr)
            return None
        self.versions[tool] = reply["version"]
        return np.array(reply["answers"], dtype=float)

    def close(self) -> None:
        """Let every tool end."""
        for peer in self.running.values():
            peer.close()
