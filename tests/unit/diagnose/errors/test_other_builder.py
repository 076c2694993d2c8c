"""Weights of a model that another function of the program makes."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.other_builder import other_builder
from whydied.source.edits.edit import edited
from whydied.source.location import Location
from whydied.source.text import Source

USE = "/p/use.py"
LOADS = "from config import FILE\nfrom net import build\n\nmodel = build()\nmodel.load_weights(FILE)\n"
TRAINS = (
    "from config import FILE\nfrom segnet import build\n\nmodel = build()\nmodel.fit(x, y)\nmodel.save_weights(FILE)\n"
)
BUILDS = "def build():\n    return Model()\n"


def _case(use: str, train: str) -> Case:
    case = case_of(exit_code=1, process=[raised("ValueError", "shapes")])
    case.recording.sources.clear()
    texts = {
        USE: use,
        "/p/train.py": train,
        "/p/net.py": BUILDS,
        "/p/segnet.py": BUILDS,
        "/p/config.py": "FILE = 'a'\n",
    }
    case.recording.sources.update({file: Source(text) for file, text in texts.items()})
    return case


def _place(case: Case) -> Location:
    return Location(file=USE, line=len(case.project[USE].lines), end_line=None, function="<module>", source=None)


def test_training_and_use_with_two_builders_are_both_told() -> None:
    case = _case(LOADS, TRAINS)
    found = other_builder(case, _place(case))
    assert found is not None
    assert (found.own.file, found.own.line, found.saved.file) == ("/p/net.py", 4, "/p/segnet.py")
    assert found.saves == ("/p/train.py", 6)
    text = edited(case.project[USE], found.changes[0].edits)
    assert text is not None
    assert "from segnet import build" in text


def test_a_checkpoint_is_of_the_model_that_is_trained_beside_it() -> None:
    train = TRAINS.replace("model.save_weights(FILE)", "").replace("y)", "y, callbacks=[ModelCheckpoint(FILE)])")
    case = _case(LOADS, train)
    assert other_builder(case, _place(case)) is not None


@pytest.mark.parametrize(
    ("use", "train"),
    [
        (LOADS, TRAINS.replace("segnet", "net")),
        (LOADS, TRAINS.replace("save_weights(FILE)", "save_weights(OTHER)")),
        (LOADS, TRAINS.replace("model = build()", "model = load()")),
        (LOADS, TRAINS + "from net import build as other\nnet = other()\nnet.save_weights(FILE)\n"),
    ],
)
def test_one_builder_another_file_or_an_unknown_maker_say_nothing(use: str, train: str) -> None:
    case = _case(use, train)
    assert other_builder(case, _place(case)) is None
