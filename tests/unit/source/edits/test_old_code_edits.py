"""A program for TensorFlow 1 as it is, whether it is a file or a notebook."""

from __future__ import annotations

from whydied.source.edits.edit import edited
from whydied.source.edits.programs.old_code_edits import run_as_version_1
from whydied.source.text import Source

IMPORT = "import numpy as np\nimport tensorflow as tf\n"
USE = "x = tf.placeholder(tf.float32, [None, 4])\n"
SWITCHED = "import numpy as np\nimport tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n"


def changed(texts: dict[str, str], file: str) -> dict[str, str | None]:
    sources = {name: Source(text) for name, text in texts.items()}
    edits = run_as_version_1(sources, file)
    own = {name: [edit for edit in edits if edit.file == name] for name in sources}
    return {name: edited(sources[name], found) for name, found in own.items() if found}


def test_the_switch_stands_in_the_cell_with_the_import() -> None:
    cells = {"/p/a.ipynb/cell [1]": IMPORT, "/p/a.ipynb/cell [2]": USE}
    assert changed(cells, "/p/a.ipynb/cell [2]") == {"/p/a.ipynb/cell [1]": SWITCHED}


def test_a_file_that_does_not_import_it_is_not_the_place() -> None:
    assert changed({"/p/a.py": IMPORT, "/p/b.py": USE}, "/p/b.py") == {}
    assert changed({"/p/a.py": IMPORT, "/p/b.py": USE}, "/p/a.py") == {"/p/a.py": SWITCHED}
    assert changed({"/p/a.ipynb/cell [1]": USE, "/p/a.ipynb/cell [2]": IMPORT}, "/p/a.ipynb/cell [1]") == {}
