"""What `%whydied estimate` is asked: which model of the notebook, with which batches and limits. Runs in the user's
process; the answer is computed in another, from files that are gone afterwards.

Invariant: an expression of the user's is evaluated once, as in a cell; nothing else of the notebook is touched.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from whydied.config import parse_memory_limit
from whydied.errors import UsageError
from whydied.graph import op_table, traced_step
from whydied.sizing.memory_limit import own_limit_bytes

_USAGE = "write it like %whydied estimate model x_train y_train --batch-size 32,128 --limit 8G"
_OPTIONS = ("--batch-size", "--limit", "--device-memory")
_DEFAULT_BATCH = 32
_MOST_EXPRESSIONS = 3


class Question(NamedTuple):
    model: Any
    x: Any
    y: Any
    batches: tuple[int, ...]
    limit_bytes: int
    device_bytes: int

    @classmethod
    def parsed(cls, line: str, names: dict[str, Any]) -> Question:
        """From the words behind the magic and the variables of the notebook. Raises UsageError."""
        options: dict[str, str] = {}
        expressions: list[str] = []
        try:
            given = shlex.split(line, posix=False)
        except ValueError as error:
            raise UsageError(str(error), _USAGE) from None
        while given:
            word, equals, value = given.pop(0).partition("=")
            if word in _OPTIONS:
                options[word] = value if equals else given.pop(0) if given else ""
            else:
                expressions.append(word + equals + value)
        if not expressions or len(expressions) > _MOST_EXPRESSIONS:
            raise UsageError("a model is needed, and perhaps its data x and y", _USAGE)
        model, x, y, *_ = [*(_value(one, names) for one in expressions), None, None]
        if not hasattr(model, "train_step"):
            raise UsageError(f"`{expressions[0]}` is not a Keras model", _USAGE)
        limit, device = options.get("--limit"), options.get("--device-memory")
        return cls(
            model,
            x,
            y,
            batches=_batches(options.get("--batch-size")),
            limit_bytes=parse_memory_limit(limit) if limit else own_limit_bytes(),
            device_bytes=parse_memory_limit(device) if device else 0,
        )

    @property
    def words(self) -> tuple[str, str, str]:
        """For the process that answers."""
        return ",".join(map(str, self.batches)), str(self.limit_bytes), str(self.device_bytes)

    @contextlib.contextmanager
    def traced(self) -> Iterator[str]:
        """A folder with the traced step. Raises UsageError where the model's step cannot be traced."""
        from whydied.sizing.model_estimate import traced_model

        found = traced_model(self.model, self.batches, x=self.x, y=self.y)
        folder = Path(tempfile.mkdtemp(prefix="whydied-estimate-"))
        try:
            (folder / traced_step.STEP_FILE).write_bytes(traced_step.encode(found.step))
            (folder / traced_step.TABLE_FILE).write_bytes(op_table.encode(found.table))
            yield str(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _value(expression: str, names: dict[str, Any]) -> Any:
    try:
        return eval(expression, dict(names))
    except Exception as error:
        raise UsageError(f"`{expression}`: {type(error).__name__}: {error}", _USAGE) from None


def _batches(text: str | None) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(",")) if text else (_DEFAULT_BATCH,)
    except ValueError:
        raise UsageError(f"{text!r} is not a list of batch sizes", _USAGE) from None
    if any(batch < 1 for batch in found):
        raise UsageError("a batch has at least one row", _USAGE)
    return found
