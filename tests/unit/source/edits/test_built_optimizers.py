"""Optimizers that are built before the function which updates with them is first called."""

from __future__ import annotations

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.runs.built_optimizers import built_first
from whydied.source.location import Location

TRAINER = """
class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizers = {"fast": Adam(1e-2), "slow": Adam(1e-4)}

    @tf.function
    def step(self, x, phase):
        variables = self.net.trainable_variables
        gradients = tape.gradient(loss(x), variables)
        self.optimizers[phase].apply_gradients(zip(gradients, variables))

    def run(self, batches):
        for phase in self.optimizers:
            for x in batches:
                self.step(x, phase)
"""
LOOP = """
@tf.function
def step(x, optimizer):
    gradients = tape.gradient(loss(x), model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))

for chosen in (fast, slow):
    for x in batches:
        step(x, chosen)
"""


def _changed(text: str, line: int, caller: int) -> list[tuple[str, list[str]]]:
    source = source_of(text)
    place = Location(file=FILE, line=caller, function="run")
    return [(one.where, after(source, one.edits)) for one in built_first({FILE: source}, FILE, line, [place])]


def test_the_optimizers_of_an_object_are_built_by_its_constructor() -> None:
    lines = ["for optimizer in self.optimizers.values():", "optimizer.build(self.net.trainable_variables)"]
    assert _changed(TRAINER, 10, 15) == [("in `__init__`", lines), ("above the loop", lines)]


def test_one_that_is_passed_is_built_above_the_loop_that_does_not_choose_it() -> None:
    assert _changed(LOOP, 4, 8) == [("above the loop", ["chosen.build(model.trainable_variables)"])]
    source = source_of(LOOP)
    edit = built_first({FILE: source}, FILE, 4, [Location(file=FILE, line=8, function="<module>")])[0].edits[0]
    assert edit.start == (7, 0)


def test_variables_that_are_made_in_the_function_are_not_known_outside() -> None:
    text = LOOP.replace("zip(gradients, model.trainable_variables)", "zip(gradients, chosen(x))")
    assert _changed(text.replace("    gradients =", "    chosen = pick(x)\n    gradients ="), 5, 9) == []
