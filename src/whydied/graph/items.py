"""The contents of a tensor list, in all its versions. Pure.

An op on a list gives a new list and leaves the old one as it was. The loops of a step do so thousands of
times, so versions share one Python list: the newest reads it directly, an older one knows which item was
replaced since and asks its successor for the others. What is read is nearly always the newest.
"""

from __future__ import annotations

from collections.abc import Iterator

EMPTY = -1
"""An item that was reserved and not yet set."""


class Items:
    __slots__ = ("_at", "_length", "_next", "_old", "_shared")

    def __init__(self, shared: list[int], length: int | None = None) -> None:
        self._shared = shared
        self._length = len(shared) if length is None else length
        self._next: Items | None = None
        self._at = self._old = EMPTY

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        return (self.get(at) for at in range(self._length))

    def get(self, at: int) -> int:
        """The item at a position; EMPTY outside the list."""
        if not 0 <= at < self._length:
            return EMPTY
        version = self
        while version._next is not None:
            if version._at == at:
                return version._old
            version = version._next
        return version._shared[at]

    def pushed(self, item: int) -> Items:
        if self._length != len(self._shared) or self._next is not None:
            # Something was pushed after this version already: that one keeps the memory they shared.
            return Items([*self, item])
        self._shared.append(item)
        return Items(self._shared, self._length + 1)

    def popped(self) -> Items:
        if self._next is not None:
            return Items(list(self)[:-1])
        return Items(self._shared, max(0, self._length - 1))

    def replaced(self, at: int, item: int) -> Items:
        if not 0 <= at < self._length:
            return self
        if self._next is not None:
            copied = list(self)
            copied[at] = item
            return Items(copied)
        newer = Items(self._shared, self._length)
        self._next, self._at, self._old = newer, at, self._shared[at]
        self._shared[at] = item
        return newer
