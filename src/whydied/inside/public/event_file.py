"""Event files that TensorBoard reads, of watched tensors; runs in the user's process.

Invariant: TensorFlow's own record writer and messages are used and nothing of `tf.summary`, whose default
writer and step are the program's. A process writes at most `LARGEST_BYTES`, into a file of its own.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from typing import Any

from whydied.inside.guest import guard
from whydied.records import TensorLogged

LARGEST_BYTES = 64 << 20


class EventFile:
    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._lock = threading.Lock()
        self._writer: Any = None
        self._pid = 0
        self._bytes = 0

    def write(self, logged: list[TensorLogged]) -> None:
        """Add what was logged at one moment."""
        from tensorflow.core.framework import summary_pb2
        from tensorflow.core.util import event_pb2

        with self._lock:
            self._open(event_pb2)
            for one in logged:
                summary = summary_pb2.Summary(value=_values(summary_pb2, one))
                self._put(event_pb2.Event(wall_time=time.time(), step=one.step, summary=summary))
            self._writer.flush()

    def _open(self, event_pb2: Any) -> None:
        # In a fork the file is the parent's.
        if self._writer is not None and self._pid == os.getpid():
            return
        self._pid, self._bytes = os.getpid(), 0
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{self._pid}.whydied"
        self._writer = sys.modules["tensorflow"].io.TFRecordWriter(os.path.join(self._directory, name))
        self._put(event_pb2.Event(wall_time=time.time(), file_version="brain.Event:2"))

    def _put(self, event: Any) -> None:
        data = event.SerializeToString()
        self._bytes += len(data)
        if self._bytes > LARGEST_BYTES:
            guard.limited("event files", f"a process writes at most {LARGEST_BYTES >> 20} MiB of them")
            return
        self._writer.write(data)


def _values(summary_pb2: Any, logged: TensorLogged) -> list[Any]:
    numbers = logged.numbers
    values = [summary_pb2.Summary.Value(tag=f"{logged.name}/nonfinite", simple_value=float(numbers.nonfinite))]
    for word, number in (("mean", numbers.mean), ("norm", numbers.norm)):
        if number is not None:
            values.append(summary_pb2.Summary.Value(tag=f"{logged.name}/{word}", simple_value=number))
    if logged.counts:
        finite = sum(logged.counts)
        histogram = summary_pb2.HistogramProto(
            min=logged.edges[0],
            max=logged.edges[-1],
            num=finite,
            sum=(numbers.mean or 0.0) * finite,
            sum_squares=(numbers.norm or 0.0) ** 2,
            bucket_limit=logged.edges[1:],
            bucket=[float(count) for count in logged.counts],
        )
        values.append(summary_pb2.Summary.Value(tag=logged.name, histo=histogram))
    return values
