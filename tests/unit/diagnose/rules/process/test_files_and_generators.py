"""PRC030 to PRC032: generators and files that are read beyond their end, or from their header on."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.rules.process import generator_past_end, header_read_as_data, pickle_read_past_end

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
