"""The known causes. Pure."""

from __future__ import annotations

import re
import signal
from typing import NamedTuple

from whydied.diagnose.finding import Certainty
from whydied.texts import installation
from whydied.texts.entry import Text


class KnownCause(NamedTuple):
    """A cause with its signature. `text` is looked for in the exception, or in what was printed before a crash;
    `frame` in the native stack, where one is asked for. `signals` are those that it may end with; an exception needs
    `raises`. `words` and `advice` may use the groups of `text` in braces. `package`, `since` and `before` bound the
    versions that have it: from `since` on, and not from `before` on."""

    name: str
    text: Text
    words: str
    advice: str
    references: tuple[str, ...]
    certainty: Certainty = "certain"
    signals: tuple[int, ...] = ()
    raises: bool = False
    frame: re.Pattern[str] | None = None
    package: str = "tensorflow"
    since: str = ""
    before: str = ""

    def covers(self, version: str | None) -> bool:
        """Whether a version may have it. One that is not known may."""
        if not version:
            return True
        number = numbers(version)
        return (not self.since or numbers(self.since) <= number) and (not self.before or number < numbers(self.before))

    @property
    def versions(self) -> str:
        """`tensorflow 2.20 and later`; empty where it is not bound to versions."""
        if self.since and self.before:
            return f"{self.package} {self.since} and later, before {self.before}"
        if self.since:
            return f"{self.package} {self.since} and later"
        return f"{self.package} before {self.before}" if self.before else ""


def numbers(version: str) -> tuple[int, ...]:
    """The release of a version; `2.20.0rc1` counts as `2.20.0`."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    parts = [int(part) for part in found[0].split(".")] if found else []
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


_ABORT = (signal.SIGABRT,)
_CRASH = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS)
_LARGEST = 2**31 - 1

KNOWN: tuple[KnownCause, ...] = (
    KnownCause(
        name="too many elements",
        text=installation.TOO_MANY_ELEMENTS,
        words="a tensor{shape} was requested that has more elements than a 64-bit number can count; TensorFlow "
        "aborts there instead of raising",
        advice="Check the sizes passed to this call: one of them, or their product, is far too large.",
        references=("tensorflow/tensorflow#40138", "tensorflow/tensorflow#51908", "tensorflow/tensorflow#108663"),
        signals=_ABORT,
    ),
    KnownCause(
        name="attribute out of range",
        text=installation.ATTRIBUTE_OUT_OF_RANGE,
        words="`{attribute}` is {value}, but this op takes 32-bit integers, at most "
        f"{_LARGEST}; TensorFlow aborts there instead of raising",
        advice="Pass a smaller `{attribute}`.",
        references=("tensorflow/tensorflow#85251", "tensorflow/tensorflow#74914"),
        signals=_ABORT,
    ),
    KnownCause(
        name="axis that is not there",
        text=installation.NO_SUCH_AXIS,
        words="native code asked for axis {axis}, counted from 0, of a tensor of rank {rank}; TensorFlow aborts there "
        "instead of raising",
        advice="Check the ranks of the tensors passed to this call: one of them has too few axes.",
        references=("tensorflow/tensorflow#104846",),
        signals=_ABORT,
    ),
    KnownCause(
        name="wrong rank",
        text=installation.WRONG_RANK,
        words="a tensor of rank {rank} was passed where native code takes one of rank {wanted}; TensorFlow aborts "
        "there "
        "instead of raising",
        advice="Reshape the tensor passed to this call to rank {wanted}.",
        references=("tensorflow/tensorflow#6276",),
        signals=_ABORT,
    ),
    KnownCause(
        name="too much work for one launch",
        text=installation.TOO_MUCH_FOR_ONE_LAUNCH,
        words="an op on the GPU has more than 2**31 elements to work on, and its count overflowed to {count}",
        advice="Make the output of this call smaller, or run it in parts.",
        references=("tensorflow/tensorflow#64023",),
        signals=_ABORT,
    ),
    KnownCause(
        name="no more threads",
        text=installation.NO_THREAD,
        words="the system could not start another thread{thread}: a limit on processes, or no memory for its stack",
        advice="Raise the limit (`ulimit -u`, the container's pids limit) or use fewer threads "
        "(`OMP_NUM_THREADS`, `tf.config.threading`, fewer parallel calls); if memory is short, deal with that first.",
        references=("tensorflow/tensorflow#41532", "tensorflow/tensorflow#64681"),
        signals=_CRASH,
    ),
    KnownCause(
        name="protobuf file registered twice",
        text=installation.REGISTERED_TWICE,
        words="two native libraries in this process contain their own copy of the protobuf file {file}",
        advice="Do not load both libraries in one process, or install builds that share one protobuf "
        "(all with conda, or all with pip).",
        references=("tensorflow/tensorflow#61593", "protocolbuffers/protobuf#15194"),
        signals=_CRASH,
    ),
    KnownCause(
        name="two copies of one native library",
        text=installation.MUTEX_OF_ANOTHER,
        words="two packages loaded in this process (TensorFlow and, in most reports, PyArrow) load native libraries "
        "that use each other's functions",
        advice="Import TensorFlow in a process without the other package, or install tensorflow<2.20.",
        references=("tensorflow/tensorflow#98563", "tensorflow/tensorflow#99464", "apache/arrow#40088"),
        certainty="likely",
        signals=_ABORT,
        since="2.20",
    ),
    KnownCause(
        name="no room for static TLS",
        text=installation.NO_STATIC_TLS,
        words="the library{library} needs thread-local memory that libraries loaded before it have used up",
        advice="Import the package that this library belongs to first, or preload the library (LD_PRELOAD).",
        references=("dmlc/xgboost#8488", "opencv/opencv#14884", "tensorflow/tensorflow#19010"),
        raises=True,
    ),
    KnownCause(
        name="libdevice not found",
        text=installation.NO_LIBDEVICE,
        words="XLA compiles for the GPU but cannot find CUDA's libdevice (it looked for {file})",
        advice="Set XLA_FLAGS=--xla_gpu_cuda_data_dir to the CUDA directory that has nvvm/libdevice, or "
        "`pip install 'tensorflow[and-cuda]'`; without XLA: `model.compile(jit_compile=False)`.",
        references=("tensorflow/tensorflow#58681", "keras-team/tf-keras#62"),
        raises=True,
        signals=_ABORT,
    ),
)
