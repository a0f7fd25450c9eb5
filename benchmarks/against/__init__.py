"""This checkout beside another one: cached asks, designs, starts and answers over HTTP, in turns.

`python -m benchmarks against OTHER/.venv/bin/python OTHER` measures processor time, which other
work on the machine disturbs least, in turns of both; told are the mean of the quickest tenth and
the median. Ledgers lie in memory where the system has a place for that: how long a disk takes to be
sure is the same for both, and hides what they do themselves.
"""

from benchmarks.against.report import main

__all__ = ["main"]
