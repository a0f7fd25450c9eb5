"""Coroutines in a thread of their own: a browser's tests may have left a loop in this one."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run_apart(work, seconds=90):
    """What a coroutine comes to."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, asyncio.wait_for(work, seconds)).result()
