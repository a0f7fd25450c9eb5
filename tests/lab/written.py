"""Adding up what campaigns find, in a file that the report is made of."""

import json


def add(file, what, figures, most=()):
    """Add the figures of a run to those of earlier ones; of `most` the largest is kept."""
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    before = known.get(what, {})
    known[what] = {
        name: max(value, before.get(name, 0)) if name in most else value + before.get(name, 0)
        for name, value in figures.items()
    }
    file.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
