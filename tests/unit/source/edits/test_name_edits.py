"""Names, keys and file names written otherwise; `near_edits` has the tests of what is missed."""

from __future__ import annotations

from tests.unit.source.edits.test_edits import FILE, lines_of, source_of
from whydied.source.edits import name_edits as edits


def test_the_last_part_of_a_path_is_replaced_where_it_is_one() -> None:
    source = source_of(
        """
        settings["net"] = {"net": Dense(3, name="net")}
        model.save("out/net")
        loaded = load_model(filepath=join(folder, 'net'))
        if kind == "net":
            pass
        """
    )
    lines = lines_of(source, *edits.replace_ending({FILE: source}, "net", "net.keras"))
    assert lines[:4] == [
        'settings["net"] = {"net": Dense(3, name="net")}',
        'model.save("out/net.keras")',
        "loaded = load_model(filepath=join(folder, 'net.keras'))",
        'if kind == "net":',
    ]


def test_a_name_that_has_a_value_elsewhere_is_changed_in_the_statement_alone() -> None:
    source = source_of("def f(size):\n    return size\nprint(size)\n")
    assert lines_of(source, *edits.rename_name(source, FILE, 3, "size", "width"))[1:] == [
        "    return size",
        "print(width)",
    ]


def test_an_imported_module_keeps_its_short_name() -> None:
    source = source_of("from collectoins import deque\ncollectoins = deque()\n")
    lines = lines_of(source, *edits.rename_imported(source, FILE, 1, "collectoins", "collections"))
    assert lines == ["from collections import deque", "collectoins = deque()"]
    dotted = source_of("import tensorflow.kears\ntensorflow.kears.Model()\n")
    assert edits.rename_imported(dotted, FILE, 1, "tensorflow.kears", "tensorflow.keras") == []
