"""A name in a list that another list writes a little differently."""

from __future__ import annotations

from tests.unit.source.edits.written import FILE, source_of
from whydied.source.origins.near_texts import near_text

LISTS = 'NAMES = ["chair", "desk", "tabel"]\nname = draw.choice(["chair", "desk", "table"])\n'


def test_the_name_that_is_misspelt() -> None:
    found = near_text({FILE: source_of(LISTS)})
    assert found is not None
    assert (found.node.value, found.meant, found.name, found.other) == ("tabel", "table", "NAMES", 2)


def test_lists_that_are_of_other_things() -> None:
    assert near_text({FILE: source_of(LISTS.replace("tabel", "lamp"))}) is None
    assert near_text({FILE: source_of(LISTS.replace("tabel", "table"))}) is None
    assert near_text({FILE: source_of('a = ["x", "tabel"]\nprint(["y", "table"])\n')}) is None
    # Which of two named lists is right is not known.
    assert near_text({FILE: source_of(LISTS.replace("name = draw.choice(", "OTHERS = (").replace("])", "])"))}) is None
