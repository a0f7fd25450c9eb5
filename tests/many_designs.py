"""What each of many processes does, in a module that a spawned process can import."""

from discreet import Grid, Within, design


def many_designs(folder, done):
    for _ in range(3):
        for epsilon in ("0.3", "0.6"):
            found = design(Grid.between(0, 3), Within(1), epsilon, cache=folder)
            done.put(found.certified.certificate.digest)
