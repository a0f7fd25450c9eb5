"""The ways to answer one statistic, one file each, and the choice among them."""
