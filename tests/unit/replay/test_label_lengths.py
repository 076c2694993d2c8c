"""Labels and frames of a CTC loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from whydied.replay.execution.execution_trace import Event, Scope, Values
from whydied.replay.execution.graph_nodes import Node
from whydied.replay.label_lengths import too_long


class Arrays:
    """Kernels whose tensors are arrays already."""

    def array(self, tensor: Any) -> Any:
        return tensor


def words(labels: list[list[int]], frames: list[int], op: str = "CTCLoss") -> str:
    indices = np.array([(row, at) for row, label in enumerate(labels) for at in range(len(label))])
    letters = np.array([letter for label in labels for letter in label])
    values = Values([np.zeros((max(frames), len(labels), 5)), indices, letters, np.array(frames)], [])
    return too_long(Arrays(), Event(0, Scope(), Node("ctc", op, (), (), {}, 2), ()), values)  # type: ignore[arg-type]


def test_a_label_with_a_repeated_letter_needs_one_frame_more() -> None:
    found = words([[1, 2, 3, 4], [1, 1, 2, 3]], [4, 4])
    assert found == "the label of row 1 needs 5 frames (4 letters, 1 of them repeated), and there are 4"


@pytest.mark.parametrize(("labels", "frames", "op"), [([[1, 2, 3]], [3], "CTCLoss"), ([[1, 1]], [2], "Softmax")])
def test_labels_that_fit_and_other_ops_have_no_words(labels: list[list[int]], frames: list[int], op: str) -> None:
    assert words(labels, frames, op) == ""
