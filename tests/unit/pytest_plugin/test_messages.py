from __future__ import annotations

from whydied.pytest_plugin.messages import decoded, encoded


def test_tuples_stay_tuples_and_the_rest_is_told() -> None:
    line = encoded("report", data={"location": ("a.py", 3, None), "list": [(1, 2)], "odd": {1: object}, "text": "ü\n"})
    assert "\n" not in line
    assert decoded(line.encode()) == {
        "kind": "report",
        "data": {"location": ("a.py", 3, None), "list": [(1, 2)], "odd": {"1": repr(object)}, "text": "ü\n"},
    }
