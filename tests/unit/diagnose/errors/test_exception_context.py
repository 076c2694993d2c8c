"""What is told around an exception that no rule explains, and nothing that was not recorded."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, GIB, case_of, raised, sample
from whydied.diagnose.case import root_of
from whydied.diagnose.engine import diagnose
from whydied.diagnose.errors.exception_context import surroundings_of
from whydied.diagnose.errors.exception_words import describe, plain_message
from whydied.diagnose.finding import Evidence
from whydied.records import (
    CallBegan,
    CallEnded,
    EpochBegan,
    ErrorFacts,
    ExceptionRaised,
    ExitRequested,
    Frame,
    LayerFacts,
    ModuleImported,
    Operand,
    Party,
    RaisedException,
    Record,
    SessionRan,
    StepBegan,
    WarningIssued,
)

LINE = Frame(file=FILE, line=5, function="<module>", user=True)
FIT = CallBegan(call=1, kind="fit", frames=[LINE], model="net")
OTHER = CallBegan(call=2, kind="evaluate", frames=[Frame(file=FILE, line=9, function="<module>", user=True)])
FAILED = raised("RuntimeError", "nobody knows this one")


def told(*process: Record, **fields: object) -> dict[str, object]:
    case = case_of(process=[*process, FAILED], exit_code=1, **fields)
    return {piece.fact: piece.value for piece in surroundings_of(case)}


def test_the_call_with_its_epoch_and_step() -> None:
    steps = [StepBegan(unit="train", count=n + 1, call=1, epoch=2, step=n) for n in range(15)]
    found = told(FIT, EpochBegan(call=1, epoch=2), *steps)
    assert found == {"raised during": "`fit` of net on line 5 of train.py, epoch 3, step 14"}


def test_the_first_step_of_an_epoch_that_did_not_come() -> None:
    assert told(FIT) == {"raised during": "`fit` of net on line 5 of train.py, before its first step"}
    last = StepBegan(unit="train", count=4, call=1, epoch=0, step=3)
    between = told(FIT, EpochBegan(call=1, epoch=0), last, EpochBegan(call=1, epoch=1))
    assert between == {"raised during": "`fit` of net on line 5 of train.py, epoch 2, before its first step"}


def test_a_call_that_ended_or_that_the_exception_did_not_pass_is_not_named() -> None:
    assert told(FIT, CallEnded(call=1)) == {}
    assert told(OTHER) == {}


def test_steps_of_the_programs_own() -> None:
    assert told(StepBegan(unit="apply", count=1)) == {"weight updates so far": 1}
    assert told(SessionRan(count=40)) == {"session runs so far": 40}
    assert told(StepBegan(unit="function", count=3)) == {"tf.function calls so far": 3}


def test_memory_is_told_of_programs_that_compute_with_tensors() -> None:
    case = case_of(sample(2 * GIB), process=[FAILED], exit_code=1)
    assert surroundings_of(case) == []
    imported = ModuleImported(name="tensorflow", version="2.21.0")
    case = case_of(sample(2 * GIB), process=[imported, FAILED], exit_code=1)
    assert [(piece.fact, piece.value) for piece in surroundings_of(case)] == [
        ("memory at failure", "2.00 GiB of 24.0 GiB")
    ]


def test_the_last_warning() -> None:
    first = WarningIssued(category="UserWarning", message="early", file=FILE, line=2)
    last = WarningIssued(category="RuntimeWarning", message="divide by\nzero", file=FILE, line=4)
    after = WarningIssued(category="UserWarning", message="after it", file=FILE, line=6)
    case = case_of(process=[first, last, FAILED, after], exit_code=1)
    assert [piece.value for piece in surroundings_of(case)] == ["train.py:4: RuntimeWarning: divide by zero"]


def test_what_took_part_is_told_once() -> None:
    layer = LayerFacts(name="mix", type="Mix", made=Frame(file=FILE, line=3, function="<module>", user=True))
    facts = ErrorFacts(layer=layer, parties=[Party(role="x", text="table", shape=[20, 5], dtype="float32")])
    operands = [
        Operand(text="table", type="numpy.ndarray", shape=[20, 5], dtype="float32"),
        Operand(text="rate", type="float", value="0.5"),
        Operand(text="3", type="int", value="3"),
    ]
    failed = raised("RuntimeError", "nobody knows this one", operands=operands)
    found = diagnose(case_of(process=[facts, failed], exit_code=1).recording)
    assert found.cause is not None
    assert found.cause.name == "uncaught-exception"
    assert [(piece.fact, piece.value) for piece in found.cause.evidence][1:-1] == [
        ("`rate` on that line", "float = 0.5"),
        ("layer", 'Mix "mix" (line 3 of train.py)'),
        ("`table` (x)", "(20, 5) float32"),
    ]


def test_an_exit_for_a_caught_exception_says_which() -> None:
    inner = Frame(file=FILE, line=3, function="load", user=True, source="tensors = []")
    caught = RaisedException(type="OSError", module="builtins", message="no such disk", frames=[inner])
    asked = ExitRequested(how="sys.exit", frames=[LINE], status="1", handling=[caught])
    found = diagnose(case_of(process=[asked], exit_code=1).recording)
    assert found.cause is not None
    assert found.cause.name == "exited-early"
    assert found.cause.message == (
        "train.py:5: train.py called sys.exit with status 1 while handling OSError: no such disk (line 3 of train.py)"
    )
    assert Evidence(
        fact="exception being handled", value=f"{FILE}:3: OSError: no such disk", source="ExitRequested"
    ) in (found.cause.evidence)


def test_a_caught_exception_that_a_rule_explains_lies_below_the_exit() -> None:
    said = "Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5] [Op:MatMul]"
    caught = RaisedException(type="InvalidArgumentError", module="tensorflow", message=said, frames=[LINE])
    parties = [Party(role="operand", text="a", shape=[2, 3]), Party(role="operand", text="b", shape=[4, 5])]
    facts = ErrorFacts(op="MatMul", parties=parties, place=LINE)
    asked = ExitRequested(how="sys.exit", frames=[LINE], status="1", handling=[caught])
    found = diagnose(case_of(process=[facts, asked], exit_code=1).recording)
    assert [finding.name for finding in found.findings] == ["shape-mismatch", "exited-early"]
    without = ExitRequested(how="sys.exit", frames=[LINE], status="1")
    found = diagnose(case_of(process=[facts, without], exit_code=1).recording)
    assert [finding.name for finding in found.findings] == ["exited-early"]


def test_a_thread_that_failed_is_noted_with_its_line() -> None:
    thread = ExceptionRaised(where="thread", chain=raised("KeyError", "'rate'", number=5).chain, thread="loader")
    found = diagnose(case_of(process=[thread], exit_code=1).recording)
    assert found.notes == ["thread loader died on line 5 of train.py of KeyError: 'rate'"]


def test_the_words_of_an_error_without_what_tensorflow_puts_around_them() -> None:
    ran = (
        "Graph execution error:\n\nDetected at node GatherV2 defined at (most recent call last):\n"
        '  File "/home/ann/train.py", line 5, in <module>\n\nindices = 3 is not in [0, 3)\n'
        "\t [[{{node GatherV2}}]] [Op:__inference_step_12]"
    )
    assert plain_message(ran) == "indices = 3 is not in [0, 3)"
    eager = (
        "{{function_node __wrapped__AddV2_device_/job:localhost}} Incompatible shapes: [2] vs. [3] [Op:AddV2] name: "
    )
    assert plain_message(eager) == "Incompatible shapes: [2] vs. [3]"
    traced = "Dimensions must be equal for '{{node a/mul}} = Mul[T=DT_FLOAT](x, y)' with input shapes: [3], [4]."
    assert plain_message(traced) == "Dimensions must be equal for Mul with input shapes: [3], [4]."
    converted = (
        'in user code:\n\n    File "/home/ann/train.py", line 5, in f  *\n        g(x)\n\n    ValueError: too\n small\n'
    )
    assert plain_message(converted) == "too small"
    bold = "\x1b[1mno good\x1b[0m"
    keras = f"Exception encountered when calling Mix.call().\n\n{bold}\n\nArguments received by Mix.call():\n  • x"
    assert plain_message(keras) == "no good"
    assert plain_message("'rate'") == "'rate'"
    assert plain_message("could not read [2] of 3") == "could not read [2] of 3"


def test_an_op_of_a_data_set_is_told_at_its_own_line() -> None:
    inner = Frame(file=FILE, line=3, function="parse", user=True)
    failed = raised("InvalidArgumentError", "Feature: labels is required but could not be found")
    for in_data, line in ((True, 3), (False, 5)):
        facts = ErrorFacts(op="ParseExampleV2", node="Parse", place=inner, in_data=in_data)
        found = diagnose(case_of(process=[facts, failed], exit_code=1).recording)
        assert found.cause is not None
        assert found.cause.location is not None
        assert (found.cause.name, found.cause.location.line) == ("uncaught-exception", line)


def test_a_chain_inside_of_a_library_ends_at_what_the_library_says() -> None:
    inside = Frame(file="/lib/from_generator_op.py", line=9, function="next_fn")
    links = [
        RaisedException(type="InvalidArgumentError", module="tensorflow", message="a", frames=[LINE], link="cause"),
        RaisedException(type="TypeError", module="", message="the element was None", frames=[inside], link="cause"),
        RaisedException(type="TypeError", module="", message="int() argument", frames=[inside]),
    ]
    assert root_of(links) == 1
    links[2] = RaisedException(type="TypeError", module="", message="int() argument", frames=[inside, LINE])
    assert root_of(links) == 2


def test_a_column_that_is_missing_among_several_is_named() -> None:
    link = RaisedException(
        type="KeyError",
        module="builtins",
        message="\"['Fare'] not in index\"",
        frames=[],
        wanted="'Fare'",
        near=["'fare'"],
        holder="df",
    )
    assert describe(link) == "KeyError: 'Fare' is not in `df`; did you mean 'fare'?"
