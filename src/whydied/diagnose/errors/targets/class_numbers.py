"""Class numbers for a loss that wants rows, one-hot rows for a single unit, and the ways out. Pure.

Invariant: what changes how the same labels or the loss are written comes before what changes the model, and a change
of the model is no way out where the labels have more classes than it would tell apart.
"""

from __future__ import annotations

from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, advised, capital, changes_of
from whydied.diagnose.errors.error_edits import Edits
from whydied.diagnose.errors.misfit import is_sparse
from whydied.diagnose.errors.target_causes import Meeting
from whydied.diagnose.errors.targets import label_modes
from whydied.shapes.shape import conforms
from whydied.source.edits.shapes.loss_edits import DENSE, SPARSE

_BINARY = "binary_crossentropy"
_NUMBERS = "np.argmax({x}, axis=-1)"


def are_numbers(met: Meeting) -> bool:
    """Whether targets are class numbers: one whole number for each sample, step or pixel, for an output of several
    columns."""
    crossed = "categorical" in met.loss.lower()
    if not crossed:
        return False
    low, high = met.labels.lowest, met.labels.highest
    if low is None and is_single(met) and _is_wide(met):
        # The labels of a data set are not known before it runs: one number for each of three columns and more, for a
        # loss over classes, is one of a class.
        return not met.labels.text or (met.labels.dtype or "").startswith(("int", "uint"))
    if low is None or high is None or low < 0:
        return False
    wide = len(met.output) == 2 and met.output[1] not in (None, 1)
    return (is_single(met) and wide) or (is_per_place(met) and high < (met.output[-1] or 0))


def is_single(met: Meeting) -> bool:
    return len(met.target) == 1 or (len(met.target) == 2 and met.target[1] == 1)


def _is_wide(met: Meeting) -> bool:
    return len(met.output) == 2 and (met.output[1] or 0) > 2


def is_per_place(met: Meeting) -> bool:
    """Whether each step or pixel has one target, and the output a row of several columns for each."""
    steps = len(met.target) == len(met.output) - 1 > 1 and conforms(met.target[1:], met.output[1:-1])
    return steps and met.output[-1] not in (None, 1)


def held(met: Meeting, span: str) -> str:
    """`holds integer class labels from 0 to 2`, of labels that nobody could look at what their shape tells."""
    if met.labels.lowest is None and not (met.labels.dtype or "").startswith(("int", "uint")):
        return "has one number per sample"
    return f"holds integer class labels{span}"


def for_numbers(met: Meeting) -> Advice:
    """The loss for class numbers, or rows in their place."""
    width, highest = met.output[-1], met.labels.highest or 0
    name = met.labels.text or "y"
    if width is not None and highest >= width:
        return _more_classes(met, width, highest)
    code = f"keras.utils.to_categorical({{x}}, {width})"
    rows = f"one-hot rows: `{code.format(x=name)}`{error_edits.beside(met.found.error, met.labels)}"
    coded = Way(f"pass {rows}", error_edits.passed(met.found.error, met.labels, code))
    if met.is_evaluated:
        return advised(f"Pass {rows}.", "labels", coded)
    other = Way("use `sparse_categorical_crossentropy`", error_edits.loss(met.found.error, DENSE, SPARSE))
    if met.labels.role in ("element", "label") or not met.labels.text:
        read = label_modes.as_rows(met.found.error.sources)
        told = f", {read.words}" if read is not None else ""
        words = f"Use `sparse_categorical_crossentropy`, or one-hot labels in the data set{told}."
        return Advice([words], changes_of("loss", [other, *([read] if read is not None else [])]))
    return Advice([f"Use `sparse_categorical_crossentropy`, or {rows}."], changes_of("loss", [other, coded]))


def _more_classes(met: Meeting, width: int, highest: int) -> Advice:
    """Class numbers that the last layer has no column for."""
    error, other = met.found.error, error_edits.loss(met.found.error, DENSE, SPARSE)
    if met.labels.lowest == 1 and highest == width and met.labels.text:
        code = f"{met.labels.text} - 1"
        shifted = error_edits.passed(error, met.labels, "{x} - 1")
        words = f"The labels count from 1: pass `{code}`, and use `sparse_categorical_crossentropy`."
        return advised(words, "labels", [*shifted, *other] if shifted and other else None)
    units = error_edits.setting(error, met.layer, "units", str(highest + 1)) if met.layer is not None else None
    words = (
        f"The labels need {highest + 1} classes, the last layer has {width}: make it {highest + 1} wide, and use "
        "`sparse_categorical_crossentropy`."
    )
    return advised(words, "layer", [*units, *other] if units and other else None)


def for_one_number(met: Meeting, units: int) -> Advice:
    """One number for each row, where the last layer gives several columns under a softmax or for a binary loss."""
    kind = met.layer.type if met.layer is not None else "Dense"
    kept = f"use `sparse_categorical_crossentropy` with the {units} units, for class numbers from 0 to {units - 1}"
    sparse = Way(kept, _classes(met, units))
    words = f'`{kind}(1, activation="sigmoid")` as the last layer gives one probability per row'
    one = Way(words, _one_unit(met))
    highest = met.labels.highest
    if highest is None and units > 2:
        return Advice([f"{capital(kept)}."], changes_of("loss", [sparse]))
    if highest is not None and highest > 1:
        return Advice([f"{capital(kept)}."], changes_of("loss", [sparse])) if highest < units else _few(met, highest)
    return Advice([f"Either {kept}; or {words}, for `{_BINARY}`."], changes_of("loss", [sparse, one]))


def _few(met: Meeting, highest: int) -> Advice:
    error, old = met.found.error, _BINARY if "binary" in met.loss.lower() else DENSE
    units = error_edits.setting(error, met.layer, "units", str(highest + 1)) if met.layer is not None else None
    other = error_edits.loss(error, old, SPARSE)
    words = f"The labels need {highest + 1} classes: as many units, with `sparse_categorical_crossentropy`."
    return advised(words, "layer", [*units, *other] if units and other else None)


def _one_unit(met: Meeting) -> Edits:
    """One probability per row, with the loss for it where another one was compiled."""
    error, layer = met.found.error, met.layer
    if layer is None:
        return None
    edits = [
        error_edits.setting(error, layer, "units", "1"),
        error_edits.setting(error, layer, "activation", '"sigmoid"'),
    ]
    if "binary" not in met.loss.lower():
        name = next((one for one in (SPARSE, DENSE) if one in (error.facts.loss, met.loss)), DENSE)
        edits.append(error_edits.loss(error, name, _BINARY))
    return _all(edits)


def _classes(met: Meeting, units: int) -> Edits:
    """The loss for class numbers, where the labels are such or nobody could look at them."""
    low, high = met.labels.lowest, met.labels.highest
    unseen = low is None and not met.labels.text
    if not unseen and (low is None or high is None or low < 0 or high >= units):
        return None
    if met.layer is None or met.layer.settings.get("activation") != "softmax":
        return None
    name = _BINARY if "binary" in met.loss.lower() else DENSE
    return error_edits.loss(met.found.error, name, SPARSE)


def for_rows(met: Meeting, width: int, encoded: Way | None) -> Advice | None:
    """One-hot rows for a last layer of one unit: the numbers of two classes, or a unit for each class. `encoded`
    leaves out what makes the rows, where that is known."""
    error, layer = met.found.error, met.layer
    binary = "binary" in met.loss.lower()
    if layer is None or not met.labels.one_hot or not binary or is_sparse(error) or met.output[-1] != 1:
        return None
    ways: list[Way] = []
    if width == 2:
        read = label_modes.as_numbers(error.sources) if not met.labels.text else None
        if encoded is not None:
            ways.append(encoded)
        elif read is not None:
            ways.append(read)
        elif met.labels.text:
            code = _NUMBERS.format(x=met.labels.text)
            told = f"pass one number per row: `{code}`{error_edits.beside(error, met.labels)}"
            ways.append(Way(told, error_edits.passed(error, met.labels, _NUMBERS)))
    words = f'`{layer.type}({width}, activation="softmax")` with `{DENSE}` gives a probability for each class'
    edits = [
        error_edits.setting(error, layer, "units", str(width)),
        error_edits.setting(error, layer, "activation", '"softmax"'),
        error_edits.loss(error, _BINARY, DENSE),
    ]
    ways.append(Way(words, _all(edits)))
    told = "; or ".join(way.words for way in ways)
    return Advice([f"Either {told}." if len(ways) > 1 else f"{capital(told)}."], changes_of("labels", ways))


def for_several_at_once(met: Meeting) -> Advice | None:
    """Rows of which one may have several ones, for a loss that wants the number of a single class."""
    labels, error = met.labels, met.found.error
    ones = (labels.lowest, labels.highest) == (0, 1) and not labels.one_hot and len(met.target) == 2
    if not ones or not labels.text or not error.facts.call or met.is_evaluated:
        return None
    told = f"A row of {met.name} may have several ones: `{_BINARY}` takes each of the {met.target[-1]} by itself."
    way = Way(f"use `{_BINARY}`, for rows with several ones", error_edits.loss(error, SPARSE, _BINARY))
    return advised(told, "loss", way)


def _all(edits: list[Edits]) -> Edits:
    return [each for made in edits for each in made or []] if all(edits) else None
