"""PRC030 to PRC039: generators, files, folders, pictures and words that are not what the loop over them takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.rules.framework import none_result
from whydied.diagnose.rules.inputs import (
    batch_axis_shown,
    generator_past_end,
    header_read_as_data,
    lines_of_json,
    list_used_as_array,
    listed_file_of_another_kind,
    nothing_listed,
    pickle_read_past_end,
    picture_channels_differ,
    word_not_in_vocabulary,
)

BATCHES = """
    def batches(rows, size):
        index = 0
        while True:
            yield [rows[at] for at in range(index, index + size)]
            index += size

    feed = batches([1, 2, 3, 4], 2)
    for _ in range(3):
        next(feed)
"""


def test_a_generator_that_never_begins_again(tmp_path: Path) -> None:
    text = BATCHES.replace("[rows[at] for at in range(index, index + size)]", "rows[index], rows[index + 1]")
    case = died_of(tmp_path, text)
    found = generator_past_end.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 5
    assert patches_of(case, found)[0][-1] == "+        index = (index + size) % len(rows)"


def test_a_generator_that_is_set_back_is_not_told(tmp_path: Path) -> None:
    text = BATCHES.replace("[rows[at] for at in range(index, index + size)]", "rows[index + 7]")
    text = text.replace("index += size", "index += size\n            index = 0 if index > 3 else index")
    assert generator_past_end.check(died_of(tmp_path, text)) is None


READ = """
    import numpy

    def boxes(path):
        found = []
        with open(path) as file:
            for line in file:
                name, left = line.strip().split(",")
                found.append((name, int(left)))
        return found

    boxes({path!r})
"""


def test_the_header_of_a_file_is_read_as_data(tmp_path: Path) -> None:
    path = tmp_path / "boxes.txt"
    path.write_text("name,left\na,1\n")
    case = died_of(tmp_path, READ.format(path=str(path)))
    found = header_read_as_data.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (6, "likely")
    assert patches_of(case, found) == [["+        next(file)"]]


def test_a_bad_line_in_the_middle_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "boxes.txt"
    path.write_text("a,1\nb,x\n")
    assert header_read_as_data.check(died_of(tmp_path, READ.format(path=str(path)))) is None


READ_BOXES = """
    import os
    import numpy

    def picture(path):
        try:
            return open(path, "rb")
        except FileNotFoundError:
            return None

    with open({path!r}) as file:
        for line in file:
            name, left = line.strip().split(",")
            found = picture(os.path.join({folder!r}, name))
            found.read()
"""


def test_a_path_made_of_the_header_is_told_at_the_loop(tmp_path: Path) -> None:
    path = tmp_path / "boxes.txt"
    path.write_text("name,left\na,1\n")
    case = died_of(tmp_path, READ_BOXES.format(path=str(path), folder=str(tmp_path)))
    found = header_read_as_data.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (11, "likely")
    assert patches_of(case, found) == [["+    next(file)"]]


def test_another_path_that_is_not_there_is_told_with_its_branch(tmp_path: Path) -> None:
    path = tmp_path / "boxes.txt"
    path.write_text("car_1.png,12\n")
    case = died_of(tmp_path, READ_BOXES.format(path=str(path), folder=str(tmp_path)))
    assert header_read_as_data.check(case) is None
    found = none_result.check(case)
    assert found is not None
    assert f"`picture` gave None for `{tmp_path}/car_1.png`, which is not there" in found.message
    assert "it returns None on line 8 of train.py, under `except FileNotFoundError`" in found.message
    assert found.certainty == "likely"


def test_a_function_that_gives_none_in_several_branches_is_not_told(tmp_path: Path) -> None:
    path = tmp_path / "boxes.txt"
    path.write_text("car_1.png,12\n")
    several = READ_BOXES.replace("        try:\n", "        if not path:\n            return None\n        try:\n")
    assert none_result.check(died_of(tmp_path, several.format(path=str(path), folder=str(tmp_path)))) is None


STORED = """
    import pickle
    path = {path!r}
    with open(path, "wb") as file:
        pickle.dump([1], file)
    with open(path, "rb") as file:
        words = pickle.load(file)
        longest = pickle.load(file)
"""


def test_more_is_read_than_was_written(tmp_path: Path) -> None:
    text = STORED.format(path=str(tmp_path / "words.pkl"))
    found = pickle_read_past_end.check(died_of(tmp_path, text))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 7
    assert "(line 4" in found.message


def test_a_file_that_somebody_else_wrote(tmp_path: Path) -> None:
    (tmp_path / "words.pkl").write_bytes(b"")
    text = STORED.format(path=str(tmp_path / "words.pkl")).replace('    with open(path, "wb") as file:\n', "")
    text = text.replace("        pickle.dump([1], file)\n", "")
    assert pickle_read_past_end.check(died_of(tmp_path, text)) is None


WORDS = """
    import numpy
    numbers = {"warm": 1, "film": 2}
    for word in "warm story".split():
        numbers[word]
"""


def test_a_word_that_has_no_number(tmp_path: Path) -> None:
    case = died_of(tmp_path, WORDS)
    assert patches_of(case, word_not_in_vocabulary.check(case))[0][-1] == "+    numbers.get(word, 0)"
    zero = word_not_in_vocabulary.check(died_of(tmp_path, WORDS.replace("1,", "0,")))
    assert zero is not None
    assert not zero.changes
    assert word_not_in_vocabulary.check(died_of(tmp_path, WORDS.replace("word]", '"stroy"]'))) is None


def test_a_word_of_a_text_is_no_misspelt_name(tmp_path: Path) -> None:
    """`warms` looks like `warm`, and is another word of the sentence; one of a list of names may be a slip."""
    found = word_not_in_vocabulary.check(died_of(tmp_path, WORDS.replace("warm story", "warms story")))
    assert found is not None
    assert "the word 'warms' is not among" in found.message
    listed = WORDS.replace('"warm story".split()', '["warms", "film"]')
    assert word_not_in_vocabulary.check(died_of(tmp_path, listed)) is None


FOLDERS = """
    import os
    root = {root!r}

    def classes(root):
        names = sorted(os.listdir(root))
        return {{name: at for at, name in enumerate(names)}}

    for name in classes(root):
        os.listdir(os.path.join(root, name))
"""


def test_a_file_of_the_system_is_taken_for_a_class(tmp_path: Path) -> None:
    root = tmp_path / "birds"
    (root / "crow").mkdir(parents=True)
    (root / ".DS_Store").write_bytes(b"Bud1")
    found = listed_file_of_another_kind.check(died_of(tmp_path, FOLDERS.format(root=str(root))))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 5
    (root / ".DS_Store").rename(root / "a.txt")
    assert listed_file_of_another_kind.check(died_of(tmp_path, FOLDERS.format(root=str(root)))) is None


PICTURES = """
    import numpy as np
    from PIL import Image
    Image.fromarray(np.zeros((6, 6, 4), "uint8")).save({path!r})

    def load(path):
        picture = Image.open(path)
        return np.asarray(picture) / 255.0

    x = np.zeros((1, 6, 6, 3))
    x[0] = load({path!r})
"""


def test_a_picture_with_transparency(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    case = died_of(tmp_path, PICTURES.format(path=str(tmp_path / "icon.png")))
    found = picture_channels_differ.check(case)
    assert patches_of(case, found)[0][-1] == '+    picture = Image.open(path).convert("RGB")'
    other = PICTURES.replace("(1, 6, 6, 3)", "(1, 5, 6, 3)").format(path=str(tmp_path / "icon.png"))
    assert picture_channels_differ.check(died_of(tmp_path, other)) is None


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("labels[rows]", "np.array(labels)[rows]"),
        ("pairs[:, 0]", "np.array(pairs)[:, 0]"),
        ("labels / 2", "np.array(labels) / 2"),
        ("labels['a']", None),
        ("labels + 2", None),
    ],
)
def test_a_list_is_used_as_an_array(tmp_path: Path, line: str, right: str | None) -> None:
    text = f"import numpy as np\nlabels, pairs, rows = [1, 0, 1], [[1, 2]], np.array([0, 2])\n{line}"
    case = died_of(tmp_path, text)
    found = list_used_as_array.check(case)
    assert (patches_of(case, found)[0][-1] if found is not None else None) == (f"+{right}" if right else None)


SHOWN = """
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    def show(picture):
        plt.imshow(picture)

    batch = np.zeros((1, 6, 6, 3))
    show(batch)
"""


def test_a_batch_of_one_picture_is_shown(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    case = died_of(tmp_path, SHOWN)
    assert patches_of(case, batch_axis_shown.check(case)) == [["-show(batch)", "+show(batch[0])"]]
    assert batch_axis_shown.check(died_of(tmp_path, SHOWN.replace("(1, 6", "(5, 6"))) is None


GLOBBED = """
    import glob
    import numpy as np

    def patches(folder):
        paths = sorted(glob.glob(folder + "/*.png"))
        found = np.array([np.load(path) for path in paths])
        return found.shape[2]

    FOLDER = "/nowhere/train"
    patches(FOLDER)
"""


def test_a_folder_without_files(tmp_path: Path) -> None:
    found = nothing_listed.check(died_of(tmp_path, GLOBBED))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 9
    assert "(line 5" in found.message
    other = GLOBBED.replace('sorted(glob.glob(folder + "/*.png"))', "list(folder[:0])")
    assert nothing_listed.check(died_of(tmp_path, other)) is None


RECORDS = """
    import json
    import numpy
    with open({path!r}) as file:
        records = json.load(file)
"""


def test_one_object_on_each_line(tmp_path: Path) -> None:
    path = tmp_path / "boxes.json"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    case = died_of(tmp_path, RECORDS.format(path=str(path)))
    (lines,) = patches_of(case, lines_of_json.check(case))
    assert lines[-1] == "+    records = [json.loads(line) for line in file]"
    path.write_text('{"a": 1,\n "b"}\n')
    assert lines_of_json.check(died_of(tmp_path, RECORDS.format(path=str(path)))) is None


def test_a_range_that_is_shuffled(tmp_path: Path) -> None:
    case = died_of(tmp_path, "import random\nrows = range(4)\nrandom.shuffle(rows)")
    assert patches_of(case, list_used_as_array.check(case)) == [["-rows = range(4)", "+rows = list(range(4))"]]


def test_the_empty_text_behind_the_last_line(tmp_path: Path) -> None:
    path = tmp_path / "prices.txt"
    path.write_text("1.5\n2.5\n")
    text = f"""
        with open({str(path)!r}) as file:
            lines = file.read().split("\\n")
        prices = [float(one) for one in lines]
    """
    case = died_of(tmp_path, text)
    (lines,) = patches_of(case, header_read_as_data.check(case))
    assert lines[-1].endswith(".read().splitlines()")
    assert header_read_as_data.check(died_of(tmp_path, "float('')")) is None


FILTERED = """
    import numpy as np

    def read(names):
        pictures = []
        for name in names:
            if name.endswith(".jpg"):
                pictures.append(np.zeros(3))
        return pictures

    x = np.array(read(["a.JPG"]))
    x.mean(axis=1)
"""


def test_a_condition_that_nothing_passes(tmp_path: Path) -> None:
    found = nothing_listed.check(died_of(tmp_path, FILTERED))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 6
    assert (
        nothing_listed.check(died_of(tmp_path, FILTERED.replace("a.JPG", "a.jpg").replace("axis=1", "axis=2"))) is None
    )
