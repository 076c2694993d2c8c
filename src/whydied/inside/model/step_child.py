"""`python -m whydied.inside.model.step_child FOLDER`: loads a copy of a model, says that it is ready, and runs real
steps of as many rows of zeros as it is told, in a process whose memory is limited; prints the bytes that they took.

What a step computes does not change what it takes: the data are the shapes and types of the user's, not their values.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any


def main(folder: str) -> None:
    with open(os.path.join(folder, "data.json")) as file:
        told = json.load(file)
    keras = importlib.import_module(told["package"])
    from whydied.inside.model.step_trial import measured, traced

    model = keras.models.load_model(os.path.join(folder, "model.keras"))
    x, y = _zeros(told["x"]), _zeros(told["y"])
    # Builds the optimizer, which the program has when it trains.
    variables = traced(model, x, y).variables
    _tell({"ready": True})
    rows = int(sys.stdin.readline())
    found = measured(model, x, y, rows, variables)
    _tell({"bytes": found.peak_bytes - found.before_bytes})


def _tell(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def _zeros(told: Any) -> Any:
    import numpy

    if isinstance(told, dict) and set(told) == {"shape", "dtype"}:
        return numpy.zeros(told["shape"], told["dtype"])
    if isinstance(told, dict):
        return {key: _zeros(value) for key, value in told.items()}
    return [_zeros(value) for value in told] if isinstance(told, list) else None


if __name__ == "__main__":
    main(sys.argv[1])
