"""Guesses about exceptions: what is offered for a trial, and what never is."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from recordings import path_of, stored_names, unpack
from tests.unit.diagnose.case_of import case_of, raised
from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import lines_of
from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Candidate
from whydied.prove.guesses import enumeration, guesses
from whydied.prove.guesses.enumeration import FAMILIES, MOST
from whydied.prove.guesses.scene import scene_of
from whydied.read.recording import load
from whydied.source.edits.edit import patch

KINDS = ("shapes", "labels", "sessions", "framework", "old_code", "plain", "errors_mixed", "saving")


def offered(case: Case) -> list[Candidate]:
    return guesses(case, diagnose(case.recording, case=case))


def lines(case: Case) -> list[list[str]]:
    return [lines_of(case, one.change) for one in offered(case)]


def test_a_number_that_a_data_set_does_not_give(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        rows = [[1, 2], [3, 4, 5]]
        for step, row in rows[1:]:
            print(step, row)
        """,
    )
    # Where the rows could be looked at, a rule says so, and no guess is needed.
    known = [lines_of(case, one.change) for one in diagnose(case.recording, case=case).candidates]
    assert ["-for step, row in rows[1:]:", "+for step, row in enumerate(rows[1:]):"] in [*known, *lines(case)]


@pytest.mark.parametrize(
    ("call", "new"),
    [
        ("json.dumps(found)", "json.dumps(found, default=lambda value: value.tolist())"),
        ("json.dumps(len(3))", ""),
    ],
)
def test_values_of_numpy_in_what_is_written_as_json(tmp_path: Path, call: str, new: str) -> None:
    case = died_of(tmp_path, f"import json\nimport numpy as np\nfound = (1, np.ones(3))\nprint({call})\n")
    found = [lines_of(case, one.change) for one in offered(case) if one.change.kind == "guess-json"]
    assert found == ([[f"-print({call})", f"+print({new})"]] if new else [])


@pytest.mark.parametrize(("call", "is_offered"), [("np.array(rows)", True), ("np.array(rows, dtype=float)", False)])
def test_rows_that_are_not_alike_as_objects(tmp_path: Path, call: str, is_offered: bool) -> None:
    case = died_of(tmp_path, f"import numpy as np\nrows = [[[1, 2], [3]], [[4, 5], [6]]]\nprint({call})\n")
    found = [lines_of(case, one.change) for one in offered(case) if one.change.kind == "guess-objects"]
    assert found == ([[f"-print({call})", "+print(np.array(rows, dtype=object))"]] if is_offered else [])


def test_a_value_that_is_tested_for_being_there(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        import numpy as np
        bias = np.ones(3)
        if bias:
            print(bias)
        """,
    )
    assert ["-if bias:", "+if bias is not None:"] in lines(case)


def test_a_text_in_the_place_of_a_function(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        def within(one, other):
            return one - other
        for metric in ["within"]:
            metric(1, 2)
        """,
    )
    assert ['-for metric in ["within"]:', "+for metric in [within]:"] in lines(case)


def test_a_variable_that_is_taken_for_another_where_it_is_filled(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        def total(sizes, names):
            return sum(sizes.values()) + len(names)
        sizes, names = {"a": 1}, {"a": "one"}
        sizes.update({"b": "two"})
        print(total(sizes, names))
        """,
    )
    assert ['-sizes.update({"b": "two"})', '+names.update({"b": "two"})'] in lines(case)


def test_a_name_of_an_earlier_cell(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        "train_images = [1, 2]\ntest_images = [3]\n",
        "def shown(images):\n    return len(images)\n",
        "print(shown(images_train))\n",
    )
    assert ["-print(shown(images_train))", "+print(shown(train_images))"] in lines(case)


def test_entries_of_a_directory_that_are_no_directories(tmp_path: Path) -> None:
    (tmp_path / "photos" / "cats").mkdir(parents=True)
    (tmp_path / "photos" / ".hidden").touch()
    case = died_of(
        tmp_path,
        f"""
        import os
        root = "{tmp_path}/photos"
        for name in os.listdir(root):
            print(os.listdir(os.path.join(root, name)))
        """,
    )
    wanted = "+for name in [one for one in os.listdir(root) if os.path.isdir(os.path.join(root, one))]:"
    assert any(wanted in one for one in lines(case))


def test_a_directory_that_is_made_before_a_file_is_written(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        f"""
        import os
        path = "{tmp_path}/none/report.txt"
        with open(path, "w") as file:
            file.write("done")
        """,
    )
    assert ['+os.makedirs(os.path.dirname(path) or ".", exist_ok=True)'] in lines(case)


def test_a_function_that_is_passed_more_than_it_takes(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        def on_end(epoch):
            return epoch
        print(max([1, 2], key=lambda one: on_end(one, None)))
        """,
    )
    assert ["-def on_end(epoch):", "+def on_end(epoch, *_, **__):"] in lines(case)


def test_the_finding_speaks_of_the_edited_line(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        def within(one, other):
            return one - other
        metrics = ["within"]
        metrics[0](1, 2)
        """,
    )
    found = next(one for one in offered(case) if one.change.kind == "guess-name-of-text")
    assert found.finding.location is not None
    assert found.finding.location.line == 3
    assert found.finding.message.startswith("train.py:3: 'within' is a text")


def test_what_the_diagnosis_offers_is_left_out(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        size = 7 / 2
        print(list(range(size)))
        """,
    )
    known = [lines_of(case, one.change) for one in diagnose(case.recording, case=case).candidates]
    assert known == [["-size = 7 / 2", "+size = 7 // 2"]]
    assert known[0] not in lines(case)


def test_the_failing_code_is_never_left_out(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        def main():
            return int("x")
        main()
        """,
    )
    for one in lines(case):
        assert "+main" not in one
        assert all("except" not in line and "pass" not in line for line in one)


def test_what_carries_the_failing_code_out_stays(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        def halves(numbers):
            return list(map(lambda one: one / "2", numbers))
        print(halves([1, 2]))
        """,
    )
    for one in lines(case):
        assert not any("return map(" in line for line in one)


@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "MemoryError", "AssertionError", "whydied.errors.ContractError"])
def test_an_end_that_no_line_is_to_blame_for_gets_none(kind: str) -> None:
    case = case_of(process=[raised(kind)], exit_code=1)
    assert guesses(case, diagnose(case.recording, case=case)) == []


def test_a_program_that_was_not_ended_by_an_exception_gets_none() -> None:
    case = case_of(exit_code=0)
    assert guesses(case, diagnose(case.recording, case=case)) == []


def test_an_exception_outside_of_the_program_gets_none() -> None:
    case = case_of(process=[raised("ValueError", "bad", number=99999)], exit_code=1)
    case.recording.sources.clear()
    assert guesses(case, diagnose(case.recording, case=case)) == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", KINDS)
def test_all_guesses_about_stored_recordings_can_be_written(kind: str, tmp_path: Path) -> None:
    """No family fails, whatever the recording; every guess is Python, and none is offered twice."""
    for name in [one for one in stored_names() if one.startswith(f"{kind}/")]:
        recording = load(unpack(path_of(name).read_bytes(), tmp_path / name).run)
        case = Case(recording)
        diagnosis = diagnose(recording, case=case)
        scene = scene_of(case, diagnosis.cause) if diagnosis.cause is not None else None
        for family in FAMILIES if scene is not None else ():
            assert scene is not None
            list(family(scene))
        found = guesses(case, diagnosis)
        texts = [patch(case.project, one.change.edits, "") for one in found]
        assert len(found) <= MOST
        assert None not in texts
        assert len(set(texts)) == len(texts)
        for one in found:
            assert one.finding.location is not None
            assert ast.parse(case.project[one.finding.location.file].text(1, 1 << 20))


def test_one_that_was_taken_off_a_size_is_put_back(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        class InvalidArgumentError(Exception):
            pass
        names = ["a", "b", "c", "d"]
        rows = len(names) - 1
        raise InvalidArgumentError("indices[1] = 3 is not in [0, 3)")
        """,
    )
    assert ["-rows = len(names) - 1", "+rows = len(names)"] in lines(case)


def test_a_family_that_fails_is_told_and_takes_nothing_from_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(scene: object) -> list[object]:
        raise ZeroDivisionError("ours")

    case = died_of(tmp_path, 'table = {"epochs": 1}\nprint(table.epochs)\n')
    monkeypatch.setattr(enumeration, "FAMILIES", (broken, *enumeration.FAMILIES))
    diagnosis = diagnose(case.recording, case=case)
    assert guesses(case, diagnosis)
    assert diagnosis.errors == ["guesses at broken: ZeroDivisionError('ours')"]


def test_a_size_that_was_halved_and_doubled_again(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        import numpy as np
        SIDE = 101
        small = np.zeros(SIDE // 4)
        again = np.repeat(np.zeros(SIDE // 8), 2)
        print(small + again)
        """,
    )
    assert ["-SIDE = 101", "+SIDE = 96"] in lines(case)
    assert ["-SIDE = 101", "+SIDE = 104"] in lines(case)


def test_a_size_that_is_there_twice(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        import numpy as np
        UNITS = 24
        state = np.concatenate([np.zeros(24), np.zeros(24)])
        wanted = np.zeros(UNITS)
        print(state + wanted)
        """,
    )
    assert ["-wanted = np.zeros(UNITS)", "+wanted = np.zeros(2 * UNITS)"] in lines(case)


def test_rows_of_a_batch_that_nobody_chose(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        class Model:
            def predict(self, rows, batch_size=32):
                if batch_size != 10:
                    raise ValueError(f"the shape of the state is (10, 4), that of the batch ({batch_size}, 4)")
        model = Model()
        model.predict([1, 2])
        """,
    )
    assert ["-model.predict([1, 2])", "+model.predict([1, 2], batch_size=10)"] in lines(case)


def test_a_fraction_is_not_made_a_whole_number(tmp_path: Path) -> None:
    text = """
        rate, rows = {rate}, [1, 2, 3]
        print(rows[rate])
        """
    assert ["-print(rows[rate])", "+print(rows[int(rate)])"] in lines(died_of(tmp_path, text.format(rate=2.0)))
    assert ["-print(rows[rate])", "+print(rows[int(rate)])"] not in lines(died_of(tmp_path, text.format(rate=0.1)))


def test_a_column_by_its_position(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        class DataFrame(dict):
            iloc = None
        table = DataFrame(label=[1], pixel=[2])
        print(table[0])
        """,
    )
    assert ["-print(table[0])", "+print(table.iloc[:, 0])"] in lines(case)


def test_shapes_that_are_written_are_told_of_what_a_python_function_gives(tmp_path: Path) -> None:
    text = """
        SIDE = 20
        class tf:
            def numpy_function(function, given, kind): raise ValueError("unknown shape")
        picture = [1] * len((SIDE, 30, 1)) + [2] * len((SIDE, "x"))
        clip = tf.numpy_function(len, [picture], float)
    """
    titles = [one.change.title for one in offered(died_of(tmp_path, text))]
    told = [one for one in titles if "shape of what" in one]
    assert told == ["Tell the shape of what the function gives: `(SIDE, 30, 1)`"]


def test_indices_are_no_list(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        import numpy as np
        grid = np.zeros((2, 3))
        column = 3
        grid[1, column] = 1
        """,
    )
    assert not [one for one in lines(case) if any("[[1, column]]" in line for line in one)]
