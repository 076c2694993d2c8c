"""What is given by position and fits another parameter of the installed signature."""

from __future__ import annotations

import ast

import msgspec

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.other_parameters import by_other_names
from whydied.records import ApiCalled, Argument, Frame
from whydied.source.edits.edit import edited
from whydied.source.text import Source

FREE = [Argument(parameter="dtype", default="None"), Argument(parameter="name", default="None")]


def called(*given: Argument, free: list[Argument] = FREE, callee: str = "self.add_weight") -> ApiCalled:
    frame = Frame(file=FILE, line=1, function="<module>", user=True)
    return ApiCalled(link=0, callee=callee, function="keras.x", arguments=list(given), free=free, frame=frame)


def changed(source: str, call: ApiCalled) -> list[str]:
    first = next(one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Call))
    call = msgspec.structs.replace(call, call=ast.unparse(first))
    case: Case = case_of(process=[raised("ValueError", "no", number=1), call], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    return [edited(Source(source), way.edits or []) or "" for way in by_other_names(case, call)]


def test_a_text_is_the_name_at_all_such_calls() -> None:
    source = 'a = self.add_weight("a", initializer="zeros")\nb = self.add_weight("b", initializer="zeros")\n'
    given = Argument(parameter="shape", text="'a'", position=0, type="str", value="'a'")
    zeros = Argument(parameter="initializer", text="'zeros'", type="str", value="'zeros'")
    assert changed(source, called(given, zeros)) == [source.replace('("', '(name="')]


def test_a_name_and_a_shape_in_the_old_order() -> None:
    given = [
        Argument(parameter="shape", text="'a'", position=0, type="str", value="'a'"),
        Argument(parameter="initializer", text="(3,)", position=1, type="tuple", held=["int"]),
    ]
    assert changed('self.add_weight("a", (3,))\n', called(*given)) == ['self.add_weight(name="a", shape=(3,))\n']


def test_a_number_is_for_the_parameter_that_takes_numbers() -> None:
    given = Argument(parameter="name", text="0.7", position=0, type="float", value="0.7", says="String name.")
    free = [Argument(parameter="dtype", default="None"), Argument(parameter="threshold", default="0.5")]
    assert changed("Accuracy(0.7)\n", called(given, free=free, callee="Accuracy")) == ["Accuracy(threshold=0.7)\n"]


def test_what_fits_where_it_is_or_nowhere_stays() -> None:
    fits = Argument(parameter="shape", text="(3,)", position=0, type="tuple", held=["int"])
    assert changed("self.add_weight((3,))\n", called(fits)) == []
    nowhere = Argument(parameter="shape", text="1.5", position=0, type="float", value="1.5")
    assert changed("self.add_weight(1.5)\n", called(nowhere)) == []
