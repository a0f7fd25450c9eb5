"""Programs as data, their solver, and the plain program that takes what is left."""
