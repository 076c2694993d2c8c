from __future__ import annotations

import pytest

from whydied.sizing.verification import verified


@pytest.mark.parametrize("guess", [60, 90, 100, 105, 130, 170])
def test_the_largest_batch_is_found_from_a_guess_nearby(guess: int) -> None:
    tried: list[int] = []

    def fits(rows: int) -> bool:
        tried.append(rows)
        return rows <= 100

    found, sure = verified(fits, guess)
    assert sure
    assert found <= 100 < found * 1.15 + 1
    assert found in tried


def test_nothing_fits() -> None:
    assert verified(lambda rows: False, 2) == (0, True)


def test_what_was_not_seen_to_fail_is_not_verified() -> None:
    found, sure = verified(lambda rows: True, 8)
    assert not sure
    assert found > 8
