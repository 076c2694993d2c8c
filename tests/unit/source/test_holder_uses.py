from __future__ import annotations

import pytest

from whydied.source.holder_uses import is_used
from whydied.source.text import Source


@pytest.mark.parametrize(
    ("line", "used"),
    [
        ("kept.append(x)", False),
        ("print(len(kept))", False),
        ("kept[step] = x", False),
        ("kept = []", False),
        ("data = np.stack(kept)", True),
        ("for one in kept: save(one)", True),
        ("total = sum(one.mean() for one in kept)", True),
        ("last = kept[-1]", True),
        ("plot(losses=kept)", True),
        ("one = kept.get(step)", True),
        ("for key, one in kept.items(): save(key, one)", True),
        ("while len(kept) > 9: kept.popleft()", True),
        ("everything = [*kept, x]", True),
        ("kept.update({step: x})", False),
        ("other.get(step)", False),
        ("other.append(x)", False),
    ],
)
def test_what_uses_a_holder_and_what_only_fills_it(line: str, used: bool) -> None:
    assert is_used("kept", {"train.py": Source(f"kept = []\n{line}\n")}) is used


def test_an_attribute_is_known_by_its_last_name() -> None:
    source = {"train.py": Source("class A:\n    def all(self):\n        return self.kept\n")}
    assert is_used("self.kept", source)
    assert not is_used("self.other", source)
