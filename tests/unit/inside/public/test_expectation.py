"""`whydied.expect` on plain Python and NumPy: what passes comes back itself, and each message says all of it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np
import pytest

from whydied import expect
from whydied.errors import ContractError, UsageError

IMAGES = np.linspace(0, 1, 5 * 4 * 4, dtype="float32").reshape(5, 4, 4)
LABELS = np.array([0, 1, 2, 1, 0])


def test_what_was_given_comes_back() -> None:
    assert expect(IMAGES, "batch 4 4", dtype="float32", low=0, high=1, finite=True) is IMAGES
    assert expect(LABELS, "_", classes=3, one_of={0, 1, 2}) is LABELS
    pair = (IMAGES, LABELS)
    assert expect(pair, ("n 4 4", "n"), dtype=("float", "int")) is pair
    named = {"a": IMAGES, "b": (LABELS, LABELS)}
    assert expect(named, {"a": "n ...", "b": ("n", "n")}, low=0) is named
    assert expect(3.5, "", low=0) == 3.5
    assert expect([1, 2, 3], "3") == [1, 2, 3]


def broken(data: Any, *args: Any, **kwargs: Any) -> ContractError:
    with pytest.raises(ContractError) as caught:
        expect(data, *args, **kwargs)
    assert isinstance(caught.value, ValueError)
    return caught.value


def said(error: ContractError) -> str:
    """Without the place, which every message begins with."""
    place, _, rest = str(error).partition(": ")
    assert place.startswith("test_expectation.py:")
    return rest


def test_messages_name_rows_values_and_what_was_expected() -> None:
    spoilt = IMAGES.copy()
    spoilt[3, 1, 2] = np.nan
    error = broken(spoilt, finite=True, name="images")
    assert said(error) == "images: row 3 of 5 has nan at [1, 2]; expected finite values"
    assert (error.name, error.rows, error.count, error.values) == ("images", (3,), 1, ("nan",))
    assert said(broken(LABELS, classes=2, name="y")) == "y: row 2 of 5 has 2; expected classes from 0 to 1"
    assert said(broken(LABELS, high=0, name="y")) == "y: 3 of 5 rows (1, 2, 3) have 1, 2; expected values of at most 0"
    assert (
        said(broken(LABELS, unique=True, name="y")) == "y: 2 of 5 rows (3, 4) were seen before; expected no row twice"
    )
    words = np.array(["cat", "dgo"])
    assert said(broken(words, one_of=["cat", "dog"], name="w")) == "w: row 1 of 2 has 'dgo'; expected one of cat, dog"
    shape = said(broken(IMAGES, "batch 4 5", name="x"))
    assert shape == "x: axis 2 is 4, not 5: shape (5, 4, 4), float32; expected shape (batch 4 5)"
    assert said(broken(IMAGES, dtype="float64", name="x")).startswith("x: it is float32:")


def test_the_name_is_that_of_the_source() -> None:
    with pytest.raises(ContractError, match=r": LABELS: "):
        expect(LABELS, classes=1)
    with pytest.raises(ContractError, match=r": LABELS\[:3\]: axis 0 is 3, not 5 \(n is 5 elsewhere\)"):
        expect((IMAGES, LABELS[:3]), ("n 4 4", "n"))


@pytest.mark.parametrize(
    "words",
    [
        {"shape": "4 4-"},
        {"low": "zero"},
        {"classes": 0},
        {"one_of": "abc"},
        {"dtype": 7},
    ],
)
def test_a_declaration_that_makes_no_sense_is_no_contract(words: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        expect(IMAGES, **words)


def test_an_unknown_part_and_unknown_data() -> None:
    with pytest.raises(UsageError, match="'c'"):
        expect({"a": LABELS}, low={"c": 0})
    with pytest.raises(UsageError, match="object"):
        expect(object(), "2")


def batches(log: list[Any]) -> Generator[Any, Any, str]:
    try:
        for start in range(0, 5, 2):
            log.append((yield IMAGES[start : start + 2], LABELS[start : start + 2]))
    except KeyError:
        log.append("thrown")
        yield IMAGES[:1], LABELS[:1]
    finally:
        log.append("closed")
    return "done"


def test_a_generator_stays_a_generator() -> None:
    log: list[Any] = []
    checked = expect(batches(log), ("n 4 4", "n"), classes=(None, 3))
    assert type(checked).__name__ == "generator"
    first = next(checked)
    assert np.shares_memory(first[0], IMAGES)
    checked.send("hello")
    assert log == ["hello"]
    checked.throw(KeyError("x"))
    assert log == ["hello", "thrown"]
    checked.close()
    assert log[-1] == "closed"


def test_a_generator_breaks_at_its_batch() -> None:
    checked = expect(batches([]), classes=(None, 2), name="data")
    next(checked)
    with pytest.raises(ContractError, match=r"data\[1\]: row 0 of batch 1 has 2; expected classes from 0 to 1"):
        next(checked)


def test_functions_and_iterators() -> None:
    made = expect(batches, ("n 4 4", "n"))
    assert made.__name__ == "batches"
    assert len(list(made([]))) == 3
    rows: Iterator[Any] = iter([np.ones(2), np.zeros(2), -np.ones(2)])
    checked = expect(rows, "2", low=0)
    next(checked)
    next(checked)
    with pytest.raises(ContractError, match="batch 2"):
        next(checked)


def test_unique_rows_are_remembered_from_batch_to_batch() -> None:
    checked = expect(iter([np.array([1, 2]), np.array([3, 1])]), unique=True)
    next(checked)
    with pytest.raises(ContractError, match="row 1 of batch 1 was seen before"):
        next(checked)
