"""Speed beside other tools, on the same work in one run: `python -m benchmarks [NAME …]`.

Each module here has a function `rows()` that measures and yields `Row`s. Seconds are of processor
time, so that what else runs on the machine matters little; only the ratios travel.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `discreet` has it, before numpy is there
