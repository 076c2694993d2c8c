"""Where a program says with how many channels pictures are read, and how it says another number. Pure.

`color_mode="grayscale"` of Keras, `channels=1` of TensorFlow's decoders, `.convert("L")` of Pillow, `IMREAD_GRAYSCALE`
and `COLOR_BGR2GRAY` of OpenCV, `as_gray=True` of scikit-image, and conversions that only drop the colours. What reads
colours unless told otherwise is found where grey pictures are wanted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.trees import walk

_MODES = {1: "grayscale", 3: "rgb", 4: "rgba"}
_PILLOW = {1: "L", 3: "RGB", 4: "RGBA"}
_DECODERS = frozenset({"decode_png", "decode_jpeg", "decode_image", "decode_bmp"})
_COLOURED = frozenset({"image_dataset_from_directory", "flow_from_directory", "flow_from_dataframe", "load_img"})
"""What has the parameter `color_mode`, and reads colours without it."""
_FLAGS = {1: "IMREAD_GRAYSCALE", 3: "IMREAD_COLOR"}
_DROPPING = frozenset({"rgb_to_grayscale", "rgb2gray"})


class Reading(NamedTuple):
    """`text` stands there, `now` is to; `edits` write it. `kind` is one word for readings of one sort. `is_flat` says
    that a grey picture has no axis for its channel then."""

    kind: str
    file: str
    line: int
    text: str
    now: str
    edits: list[Edit]
    is_flat: bool = False


def readings(sources: Mapping[str, Source], came: int, wanted: int) -> list[Reading]:
    """The places that read pictures with `came` channels, each with `wanted` in its place."""
    return [
        one
        for file, source in sources.items()
        for one in [*_written(source, file, came, wanted), *_calls(source, file, came, wanted)]
    ]


def _written(source: Source, file: str, came: int, wanted: int) -> Iterator[Reading]:
    """`color_mode` as an argument, also of `dict`, or as an item of a dict."""
    pairs: list[tuple[str, ast.expr]] = [(one.arg, one.value) for one in walk(source.tree, ast.keyword) if one.arg]
    for found in walk(source.tree, ast.Dict):
        pairs += [
            (key.value, value)
            for key, value in zip(found.keys, found.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        ]
    for word, value in pairs:
        known = value.value if isinstance(value, ast.Constant) else None
        if word == "color_mode" and known == _MODES.get(came) and wanted in _MODES:
            yield _anew(source, file, "color_mode", word, value, f'"{_MODES[wanted]}"')
        elif word in ("grayscale", "as_gray") and known is (came == 1) and (came == 1) != (wanted == 1):
            yield _anew(source, file, word, word, value, str(wanted == 1))._replace(is_flat=word == "as_gray")


def _anew(source: Source, file: str, kind: str, word: str, value: ast.expr, text: str) -> Reading:
    told = f"{word}={written_in(source, value)}"
    return Reading(kind, file, value.lineno, told, f"{word}={text}", [over(source, file, value, text)])


def _calls(source: Source, file: str, came: int, wanted: int) -> Iterator[Reading]:
    for call in walk(source.tree, ast.Call):
        name, text = callee(call), written_in(source, call)
        if name in _DECODERS:
            yield from _decoded(source, file, call, came, wanted)
        elif name == "convert" and len(call.args) == 1 and isinstance(call.args[0], ast.Constant):
            if call.args[0].value == _PILLOW.get(came) and wanted in _PILLOW:
                now = f'"{_PILLOW[wanted]}"'
                edits = [over(source, file, call.args[0], now)]
                yield Reading(name, file, call.lineno, f'convert("{_PILLOW[came]}")', f"convert({now})", edits, True)
        elif name == "imread" and came in _FLAGS and wanted in _FLAGS:
            yield from _flagged(source, file, call, came, wanted)
        elif name == "cvtColor" and (came, wanted) == (1, 3) and len(call.args) == 2:
            flag = call.args[1]
            if isinstance(flag, ast.Attribute) and flag.attr in ("COLOR_BGR2GRAY", "COLOR_RGB2GRAY"):
                now = written_in(source, call.args[0])
                yield Reading(name, file, call.lineno, text, now, [over(source, file, call, now)], True)
        elif name in _DROPPING and (came, wanted) == (1, 3) and len(call.args) == 1:
            now = written_in(source, call.args[0])
            yield Reading(name, file, call.lineno, text, now, [over(source, file, call, now)], name == "rgb2gray")
        elif name in _COLOURED and (came, wanted) == (3, 1) and _takes_more(call, "color_mode"):
            now = 'color_mode="grayscale"'
            edits = [add_argument(source, file, call, now)]
            yield Reading("color_mode", file, call.lineno, f"{name}(…)", now, edits)


def _takes_more(call: ast.Call, word: str) -> bool:
    """Whether an argument is known not to be given."""
    return all(one.arg not in (None, word) for one in call.keywords)


def _decoded(source: Source, file: str, call: ast.Call, came: int, wanted: int) -> Iterator[Reading]:
    given = passed_argument(call, "channels") or (call.args[1] if len(call.args) > 1 else None)
    if isinstance(given, ast.Constant) and given.value == came:
        edits = [over(source, file, given, str(wanted))]
    elif given is None:
        # As many as the file has.
        edits = [add_argument(source, file, call, f"channels={wanted}")]
    else:
        return
    told = f"{callee(call)}(…, channels={came})" if given is not None else f"{callee(call)}(…)"
    yield Reading("channels", file, call.lineno, told, f"channels={wanted}", edits)


def _flagged(source: Source, file: str, call: ast.Call, came: int, wanted: int) -> Iterator[Reading]:
    """`cv2.imread`, which reads colours without a flag; 0 is grey, 1 are colours."""
    module = written_in(source, call.func.value) if isinstance(call.func, ast.Attribute) else ""
    flag = call.args[1] if len(call.args) > 1 else passed_argument(call, "flags")
    if module not in ("cv2", "cv"):
        return
    now = f"{module}.{_FLAGS[wanted]}"
    if flag is None and came == 3:
        yield Reading("imread", file, call.lineno, "imread(…)", now, [add_argument(source, file, call, now)], True)
    elif flag is not None and written_in(source, flag) in (f"{module}.{_FLAGS[came]}", str(int(came == 3))):
        edits = [over(source, file, flag, now)]
        yield Reading("imread", file, call.lineno, written_in(source, flag), now, edits, True)
