"""This checkout beside another one: cached asks, designs and answers over HTTP, in turns.

`python -m benchmarks against OTHER/.venv/bin/python OTHER` measures processor time, which other
work on the machine disturbs least, and takes the best of many turns of each.
"""

from benchmarks.against.report import main

__all__ = ["main"]
