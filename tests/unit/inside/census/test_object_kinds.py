"""What an object holds, read without its own code."""

from __future__ import annotations

from whydied.inside.census.object_kinds import ALWAYS_LISTED, TAPE, TypeFacts, attributes, type_facts


class Held:
    __slots__ = ("__dict__", "size")

    def __init__(self) -> None:
        self.size = 3
        self.name = "held"


def test_attributes_are_those_of_the_dictionary_and_the_slots() -> None:
    assert attributes(Held(), type_facts(Held)) == [("name", "held"), ("size", 3)]


def test_a_descriptor_that_refuses_the_object_gives_nothing() -> None:
    foreign = type("Foreign", (), {}).__dict__["__dict__"]
    assert attributes([], TypeFacts("instance", object, "list", "builtins", foreign)) == []


def test_a_tape_is_always_listed_because_what_it_keeps_is_native() -> None:
    tape = type("GradientTape", (), {"__module__": "tensorflow.python.eager.backprop"})
    own = type("Tape", (tape,), {"__module__": "__main__"})
    assert [type_facts(kind).name for kind in (tape, own)] == [TAPE, TAPE]
    assert TAPE in ALWAYS_LISTED
