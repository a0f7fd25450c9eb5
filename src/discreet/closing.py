"""Things that hold files or connections: `with` lets go of them."""

from typing import Self


class Closing:
    """`with` this, and `close` is called at the end of the block."""

    def close(self) -> None:
        """Let go of everything."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
