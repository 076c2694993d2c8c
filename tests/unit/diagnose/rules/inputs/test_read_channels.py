"""PRC035 and SHP007: pictures with another number of channels than a model takes."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.inputs import picture_channels_differ
from whydied.diagnose.rules.shapes import wrong_input_shape
from whydied.records import ErrorFacts, Frame, InputWanted, LayerFacts, Party
from whydied.source.text import Source

READ = 'scans = read(root, color_mode="grayscale")\nmasks = decode_png(raw, channels={masks})\n\nmodel.fit(scans)\n'


def _line(number: int) -> Frame:
    return Frame(file=FILE, line=number, function="<module>", user=True, end_line=number)


def _case(text: str, channels: int = 1) -> Case:
    """A model whose Input Keras made of the data, with a net for colours in it."""
    shape: list[int | None] = [None, 32, 32, channels]
    made = LayerFacts(name="given", type="InputLayer", output_shape=shape, made=_line(4))
    convolution = LayerFacts(
        name="conv", type="Conv2D", input_shape=[None, 32, 32, 3], made=_line(3), settings={"kernel_size": "(3, 3)"}
    )
    facts = ErrorFacts(
        raiser="assert_input_compatibility",
        place=_line(4),
        parties=[Party(role="input", shape=shape), Party(role="element", text="scans", shape=shape)],
        wanted=InputWanted(least_rank=4, axes={"-1": 3}),
        layer=convolution,
        layers=[made, LayerFacts(name="net", type="Functional", is_model=True, inputs=["given"])],
        call="fit",
        model="Sequential",
    )
    case = case_of(process=[facts, raised("ValueError", "expected axis -1 to have value 3")], exit_code=1)
    case.recording.sources[FILE] = Source(text)
    return case


def test_grey_pictures_for_a_net_that_takes_colours() -> None:
    case = _case(READ.format(masks=1))
    found = picture_channels_differ.check(case)
    assert found is not None
    assert found.message == (
        'train.py:1: pictures are read with 1 channel (`color_mode="grayscale"`): `scans` is (None, 32, 32, 1), and '
        'Conv2D "conv" (line 3 of train.py) takes 3'
    )
    assert found.certainty == "likely"
    # All that are read so.
    assert [len(one) for one in patches_of(case, found)] == [4]


def test_what_is_read_as_is_wanted_beside_it_stays() -> None:
    case = _case(
        'scans = read(root, color_mode="grayscale")\nphotos = decode_png(raw, channels=3)\n\nmodel.fit(scans)\n'
    )
    assert patches_of(case, picture_channels_differ.check(case)) == [
        ['-scans = read(root, color_mode="grayscale")', '+scans = read(root, color_mode="rgb")']
    ]


def test_pictures_that_the_program_does_not_read() -> None:
    case = _case("scans = rng.random((8, 32, 32, 1))\n\n\nmodel.fit(scans)\n")
    assert picture_channels_differ.check(case) is None
    found = wrong_input_shape.check(case)
    assert found is not None
    # The Input that Keras made of the data is not what refuses them.
    assert found.message == (
        'train.py:4: `scans` (None, 32, 32, 1) does not match Conv2D "conv" (line 3 of train.py), which expects '
        "(None, 32, 32, 3): axis 3 is 1, expected 3"
    )
    assert (found.certainty, found.changes) == ("likely", [])


def test_two_channels_are_no_pictures() -> None:
    assert picture_channels_differ.check(_case(READ.format(masks=1), channels=2)) is None
