"""Arguments that a call lacks and a name in scope is, and those that a layer takes by their names only."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.framework import refused_argument, signature_mismatch
from whydied.records import ApiCalled, Argument, Frame
from whydied.source.text import Source


def _at(line: int) -> Frame:
    return Frame(file=FILE, line=line, function="", user=True)


def _case(source: str, line: int, kind: str, message: str, call: ApiCalled) -> Case:
    case = case_of(exit_code=1, process=[call, raised(kind, message, number=line)])
    case.recording.sources[FILE] = Source(source)
    return case


def _missing(source: str, call: str, parameters: list[str], missing: str) -> list[list[str]]:
    line = next(at for at, text in enumerate(source.splitlines(), 1) if call in text)
    called = ApiCalled(
        link=0,
        callee=call.rpartition("(")[0],
        function="f",
        call=call,
        parameters=parameters,
        accepted=["rate"],
        frame=_at(line),
    )
    message = f"f() missing 1 required positional argument: {missing}"
    case = _case(source, line, "TypeError", message, called)
    found = signature_mismatch.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == line
    return patches_of(case, found)


BUILD = "class A(Layer):\n    def build(self, {}):\n        self.units = 3\n        {}\n"


@pytest.mark.parametrize(
    ("own", "before", "after", "missing"),
    [
        ("input_shape", "super().build()", "super().build(input_shape)", "'input_shape'"),
        ("input_shape", "super(A, self).build()", "super(A, self).build(input_shape)", "'input_shape'"),
        ("shape", "super().build()", "super().build(shape)", "'input_shape'"),
        ("shape", "make(b=1)", "make(b=1, units=self.units)", "'units'"),
        ("units, rate", "make(units, **more)", "make(units, rate=rate, **more)", "'rate'"),
    ],
)
def test_what_is_in_scope_is_passed(own: str, before: str, after: str, missing: str) -> None:
    parameters = ["input_shape"] if "build" in before else ["units"]
    assert _missing(BUILD.format(own, before), before, parameters, missing) == [
        [f"-        {before}", f"+        {after}"]
    ]


def test_variables_of_the_module_and_several_at_once() -> None:
    source = "rows, labels = load()\ntrain()\n"
    assert _missing(source, "train()", ["rows", "labels"], "'rows' and 'labels'") == [
        ["-train()", "+train(rows, labels)"]
    ]
    # Assigned below the call.
    assert _missing("train()\nrows = 3\n", "train()", ["rows"], "'rows'") == []
    assert _missing("train()\n", "train()", ["rows"], "'rows'") == []


def test_an_argument_that_stands_in_the_place_of_the_forgotten_one() -> None:
    source = "def plot(model, history):\n    pass\nmodel, history = run()\nplot(history)\n"
    patches = _missing(source, "plot(history)", ["model", "history"], "'history'")
    assert patches == [["-plot(history)", "+plot(model, history)"]]
    # Nothing is passed twice.
    assert _missing(source.replace("model, h", "h"), "plot(history)", ["model", "history"], "'history'") == []


def test_what_a_call_further_inside_lacks_is_not_passed() -> None:
    assert _missing("step = 3\nmodel.fit(x)\n", "model.fit(x)", ["x", "y"], "'step'") == []


REFUSED = (
    "Only input tensors may be passed as positional arguments. The following argument value should be passed as a "
    "keyword argument: {} (of type <class '{}'>)"
)


def _by_position(
    call: str, parameters: list[str], *types: str, told: tuple[str, str] = ("8", "int")
) -> list[list[str]]:
    given = call.rpartition("(")[2].removesuffix(")").split(", ")
    arguments = [
        Argument(parameter=name, text=text, position=at, type=kind, value="8" if kind == "int" else None)
        for at, (name, text, kind) in enumerate(zip(parameters, given, types, strict=False))
    ]
    called = ApiCalled(
        link=0,
        callee=call.rpartition("(")[0],
        function="Block.call",
        call=call,
        parameters=parameters,
        arguments=arguments,
        frame=_at(1),
    )
    case = _case(f"h = {call}\n", 1, "ValueError", REFUSED.format(*told), called)
    return patches_of(case, refused_argument.check(case))


def test_what_is_no_tensor_is_given_to_a_layer_by_its_name() -> None:
    call = "self.block(tokens, height, width)"
    names = ["tokens", "height", "width"]
    assert _by_position(call, names, "SymbolicTensor", "int", "int") == [
        [f"-h = {call}", "+h = self.block(tokens, height=height, width=width)"]
    ]
    assert _by_position(call, names, "SymbolicTensor", "SymbolicTensor", "int") == [
        [f"-h = {call}", "+h = self.block(tokens, height, width=width)"]
    ]
    # What was not seen is what it must have been.
    assert _by_position(call, names, "SymbolicTensor", "SymbolicTensor", "") == [
        [f"-h = {call}", "+h = self.block(tokens, height, width=width)"]
    ]
    # It does not take so many.
    assert _by_position(call, names[:2], "SymbolicTensor", "int") == []


def test_the_data_of_a_layer_have_no_other_name() -> None:
    assert _by_position("layer(8)", ["inputs"], "int") == []


def test_a_layer_takes_what_it_is_called_with() -> None:
    source = "class Mean(Layer):\n    def call(self, x: int):\n        return x\n\nh = Mean()(x, mask=m)\n"
    called = ApiCalled(
        link=0, callee="Mean()", function="Mean.call", call="Mean()(x, mask=m)", frame=_at(5), defined=_at(2)
    )
    case = _case(source, 5, "TypeError", "got an unexpected keyword argument 'mask'", called)
    found = signature_mismatch.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert patches_of(case, found) == [
        ["-    def call(self, x: int):", "+    def call(self, x: int, mask=None):"],
        ["-h = Mean()(x, mask=m)", "+h = Mean()(x)"],
    ]
