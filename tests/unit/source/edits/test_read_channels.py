"""With how many channels pictures are read, and how another number is written."""

from __future__ import annotations

import pytest

from whydied.source.edits.edit import edited
from whydied.source.edits.read_channels import readings
from whydied.source.text import Source


@pytest.mark.parametrize(
    ("text", "came", "wanted", "right"),
    [
        ('read(path, color_mode="grayscale")', 1, 3, 'read(path, color_mode="rgb")'),
        ('options = {"color_mode": "rgb"}', 3, 1, 'options = {"color_mode": "grayscale"}'),
        ("tf.io.decode_png(raw, channels=1)", 1, 3, "tf.io.decode_png(raw, channels=3)"),
        ("tf.io.decode_jpeg(raw, 3)", 3, 1, "tf.io.decode_jpeg(raw, 1)"),
        ("tf.io.decode_png(raw)", 4, 3, "tf.io.decode_png(raw, channels=3)"),
        ('Image.open(path).convert("L")', 1, 3, 'Image.open(path).convert("RGB")'),
        ("cv2.imread(path, 0)", 1, 3, "cv2.imread(path, cv2.IMREAD_COLOR)"),
        ("cv2.imread(path)", 3, 1, "cv2.imread(path, cv2.IMREAD_GRAYSCALE)"),
        ("cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY)", 1, 3, "photo"),
        ("io.imread(path, as_gray=True)", 1, 3, "io.imread(path, as_gray=False)"),
        ("tf.image.rgb_to_grayscale(photo)", 1, 3, "photo"),
        ("make.flow_from_directory(root)", 3, 1, 'make.flow_from_directory(root, color_mode="grayscale")'),
    ],
)
def test_a_reading_is_written_anew(text: str, came: int, wanted: int, right: str) -> None:
    source = Source(f"{text}\n")
    found = readings({"a.py": source}, came, wanted)
    assert [edited(source, one.edits) for one in found] == [f"{right}\n"]


@pytest.mark.parametrize(
    "text",
    [
        'read(path, color_mode="rgb")',
        "tf.io.decode_png(raw, channels=3)",
        "tf.io.decode_png(raw, channels=depth)",
        'Image.open(path).convert("RGB")',
        'words.convert("L", "R")',
        "np.imread(path, 0)",
        "cv2.cvtColor(photo, cv2.COLOR_BGR2HSV)",
    ],
)
def test_what_reads_no_grey_pictures(text: str) -> None:
    assert readings({"a.py": Source(f"{text}\n")}, 1, 3) == []
