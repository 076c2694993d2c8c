"""Imports that a change needs, in a program of several files."""

from __future__ import annotations

from whydied.source.edits.edit import line_before
from whydied.source.edits.needed_imports import needed_imports
from whydied.source.text import Source

OTHER = Source("import tensorflow.compat.v1 as tf\n\nx = tf.zeros([2])\n")


def texts(main: str, added: str, other: Source = OTHER) -> list[str]:
    source = Source(main)
    edit = line_before(source, "main.py", len(source.lines), added)
    found = needed_imports({"main.py": source, "other.py": other}, [edit])
    return [one.text for one in found]


def test_the_import_of_another_file_of_the_program() -> None:
    main = "import numpy as np\n\nmodel.fit(np.ones(3))\n"
    assert texts(main, "tf.reset_default_graph()") == ["import tensorflow.compat.v1 as tf"]


def test_nothing_where_the_file_has_the_name_or_may_have_it() -> None:
    assert texts("import tensorflow as tf\n\nmodel.fit(3)\n", "tf.reset_default_graph()") == []
    assert texts("from layers import *\n\nmodel.fit(3)\n", "tf.reset_default_graph()") == []
    assert texts("import numpy as np\n\nmodel.fit(3)\n", "print(model)") == []


def test_a_name_that_two_files_import_from_elsewhere_is_not_guessed() -> None:
    other = Source("import a as k\nimport b as k\n")
    assert texts("import numpy as np\n\nmodel.fit(3)\n", "k.go()", other) == []
