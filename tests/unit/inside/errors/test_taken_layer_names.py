"""Layers of one model that have one name, and the line that called what made each."""

from __future__ import annotations

import sys

import pytest

from whydied.inside import journal
from whydied.inside.guest.ownership import Ownership
from whydied.inside.model.layer_lines import MadeAt


class Owner:
    def __init__(self, ownership: Ownership) -> None:
        self.ownership = ownership

    def find_main(self) -> None:
        pass


class Thing:
    pass


def made(known: MadeAt) -> Thing:
    thing = Thing()
    known.note(thing, sys._getframe())
    return thing


def test_the_caller_is_noted_beside_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    ownership = Ownership("/")
    monkeypatch.setattr(ownership, "user_file", lambda frame: frame.f_code.co_filename)
    monkeypatch.setattr(journal, "current", lambda: Owner(ownership))
    known = MadeAt(10)
    first = made(known)
    second = made(known)
    lines = [known.caller(one) for one in (first, second)]
    assert known.line(first) == known.line(second)
    assert lines[0] is not None
    assert lines[1] is not None
    assert lines[1][1] == lines[0][1] + 1
    del first
    assert len(known.known) == len(known._callers) == 1
