"""Programs as data: how they are written, solved, and bounded from below."""
