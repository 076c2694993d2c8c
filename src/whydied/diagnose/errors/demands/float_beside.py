"""A Python float that met a tensor of whole numbers: TensorFlow makes the number a tensor of the other's type. Pure."""

from __future__ import annotations

from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.records import Operand, Party
from whydied.texts import shapes_and_types as texts

_WHOLE = ("int", "uint", "bool")
_FLOAT = "float32"
"""What a Python float becomes where nothing else decides."""


def float_beside(error: FrameworkError) -> tuple[Party, Party] | None:
    """The tensor and the number. The tensor is what the op was given, or the only value of its type in the expression
    that failed."""
    told = texts.NUMBER_BESIDE.search(error.message) or texts.NOT_OF_DTYPE.search(error.message)
    if told is None or not told["wanted"].startswith(_WHOLE) or not _is_float(told["value"]):
        return None
    given = [one for one in error.of_role("operand") if one.dtype == told["wanted"]]
    seen = [_party(one) for one in error.link.operands if one.dtype == told["wanted"] and one.shape is not None]
    tensor = (given or seen)[:1] if given or len(seen) == 1 else []
    if not tensor or not tensor[0].text:
        return None
    number = next((one.text for one in error.link.operands if one.value == told["value"]), told["value"])
    return tensor[0], Party(role="operand", text=number, type="float", dtype=_FLOAT)


def _party(one: Operand) -> Party:
    return Party(role="operand", text=one.text, type=one.type, shape=one.shape, dtype=one.dtype)


def _is_float(text: str) -> bool:
    """Whether the message quotes a float, or a list of them."""
    try:
        numbers = [float(one) for one in text.strip("[]()").split(",")]
    except ValueError:
        return False
    return bool(numbers) and not text.strip("[]()").lstrip("-").isdigit()
