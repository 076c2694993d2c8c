"""Pictures and masks with more channels than are expected; each with a near miss."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import lines_of
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.diagnose.errors.misfit import Misfit
from whydied.diagnose.errors.ops.channels import fewer_channels, target_channels
from whydied.diagnose.rules.shapes.shape_mismatch import check
from whydied.records import ErrorFacts, Frame, Party, RaisedException, ValueSource
from whydied.source.edits.edit import edited
from whydied.source.text import Source


@pytest.mark.parametrize(
    ("came", "wanted", "expected"),
    [
        ([32, 32, 4], [1, 32, 32, 3], 3),
        ([8, 32, 32, 3], [8, 32, 32, 1], 1),
        # Fewer than wanted; another height; not channels; no picture.
        ([32, 32, 3], [1, 32, 32, 4], None),
        ([32, 32, 4], [1, 30, 32, 3], None),
        ([32, 32, 5], [1, 32, 32, 3], None),
        ([32, 4], [32, 3], None),
    ],
)
def test_channels_are_the_last_of_sizes_that_agree(
    came: list[int | None], wanted: list[int | None], expected: int | None
) -> None:
    assert fewer_channels(came, wanted) == expected


def test_a_picture_that_cannot_be_reshaped_is_cut_to_its_first_channels(tmp_path: Path) -> None:
    case = died_of(tmp_path, "import numpy as np\nimg = np.zeros((6, 6, 4))\nimg = img.reshape(1, 6, 6, 3)")
    found = check(case)
    assert found is not None
    assert "`img` (6, 6, 4) has 4 channels and cannot be reshaped to (1, 6, 6, 3), which has 3" in found.message
    assert [lines_of(case, one) for one in found.changes or []] == [
        ["-img = img.reshape(1, 6, 6, 3)", "+img = img[..., :3].reshape(1, 6, 6, 3)"]
    ]
    assert check(died_of(tmp_path, "import numpy as np\nimg = np.zeros((6, 5, 4))\nimg.reshape(1, 6, 6, 3)")) is None


LOSS = """def dice(truth, guess):
    a, b = flat(truth), flat(guess)
    return total(a * b)
class Pictures(Sequence):
    def __getitem__(self, at):
        masks = load(at)
        return images[at], masks
model.fit(pictures, masks)
"""


def _loss(first: int, second: int, target: str, *more: Party) -> tuple[Source, list[str | None]]:
    source = Source(LOSS)
    place = Frame(file=FILE, line=3, function="dice", user=True)
    parties = [
        Party(role="operand", text=name, shape=[None, size], sources=[ValueSource(kind="parameter", name=of)])
        for name, size, of in (("a", first, target), ("b", second, "guess"))
    ]
    facts = ErrorFacts(place=place, op="Mul", call="fit", parties=[*parties, *more])
    frames = [Frame(file=FILE, line=8, function="<module>", user=True), place]
    link = RaisedException(type="ValueError", module="tensorflow", message="", frames=frames)
    error = FrameworkError(facts, link, {FILE: source})
    advice = target_channels(Misfit("shape", error, parties[0], parties[1], ((1, 1, first, second),)))
    return source, [edited(source, one.edits) for one in advice.changes]


def test_flattened_targets_of_several_channels_are_cut_where_they_are_made() -> None:
    _, texts = _loss(3072, 1024, "truth")
    assert [text.splitlines()[5] for text in texts if text] == ["        masks = load(at)[..., :1]"]
    _, texts = _loss(3072, 1024, "truth", Party(role="y", text="masks", shape=[12, 32, 32, 3]))
    assert [text.splitlines()[7] for text in texts if text] == ["model.fit(pictures, masks[..., :1])"]


def test_other_flattened_sizes_are_not_channels() -> None:
    # Five times as large; not a multiple; the model's side is the larger one; what is larger is not the target.
    for first, second, target in [
        (5120, 1024, "truth"),
        (3000, 1024, "truth"),
        (1024, 3072, "truth"),
        (3072, 1024, "x"),
    ]:
        assert _loss(first, second, target)[1] == []
