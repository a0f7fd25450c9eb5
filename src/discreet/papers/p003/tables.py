"""Tables 1 to 4."""

from discreet.papers.item import Item

ITEMS: tuple[Item, ...] = ()
