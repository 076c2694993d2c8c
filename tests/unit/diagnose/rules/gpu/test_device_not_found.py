"""GPU006: a GPU that is asked for and that the library does not have; GPU007: an op that XLA has no kernel for."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, GIB, line, raised, recording_of
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Finding
from whydied.records import DevicesSeen, ExceptionRaised, GpuFound, Operand, Record
from whydied.source.text import Source

LISTED = 'import tensorflow as tf\n\ngpus = tf.config.list_physical_devices("GPU")\n\nuse(gpus[0])\n'
ROWS = "import tensorflow as tf\n\nrows = load()\n\nuse(rows[0])\n"
T4 = GpuFound(index=0, name="T4", total_bytes=16 * GIB)


def cause(error: ExceptionRaised, *records: Record, source: str = LISTED, gpu: GpuFound | None = None) -> Finding:
    recording = recording_of(*([gpu] if gpu else []), process=[line(), *records, error], exit_code=1)
    recording.sources = {FILE: Source(source)}
    found = diagnose(recording).cause
    assert found is not None
    return found


def index_error(name: str) -> ExceptionRaised:
    return raised("IndexError", "list index out of range", operands=[Operand(text=name, type="list", length=0)])


def test_an_empty_list_of_gpus_is_told_as_such() -> None:
    found = cause(index_error("gpus"))
    assert (found.code, found.certainty) == ("GPU006", "certain")
    assert found.message == "train.py:5: TensorFlow found no GPU, so `gpus` is empty"
    assert found.advice == ["Write `if gpus:` around what uses it."]


def test_the_reason_is_told_where_a_gpu_is_there() -> None:
    seen = DevicesSeen(library="tensorflow", version="2.21.0", package="tensorflow-cpu", visible=["CPU"])
    assert (
        "`gpus` is empty: TensorFlow 2.21.0 (tensorflow-cpu) is built without CUDA"
        in cause(index_error("gpus"), seen, gpu=T4).message
    )


def test_another_empty_list_is_not_about_gpus() -> None:
    assert cause(index_error("rows"), source=ROWS).code == "PRC008"


def test_a_device_that_tensorflow_does_not_have_is_told() -> None:
    text = (
        "Could not satisfy device specification '/job:localhost/replica:0/task:0/device:GPU:1'. "
        "enable_soft_placement=0. Supported device types [CPU]."
    )
    assert "an op is placed on GPU 1" in cause(raised("InvalidArgumentError", text)).message


def test_pytorch_without_cuda_is_told_with_its_version() -> None:
    seen = DevicesSeen(library="torch", version="2.13.0+cpu", package="torch", found=["CPU"], visible=["CPU"])
    found = cause(raised("AssertionError", "Torch not compiled with CUDA enabled"), seen)
    assert "PyTorch 2.13.0+cpu cannot use it" in found.message


UNSUPPORTED = (
    "Detected unsupported operations when trying to compile graph __inference_step_796[_XlaMustCompile=true] on "
    "XLA_CPU_JIT: EagerPyFunc (No registered 'EagerPyFunc' OpKernel for XLA_CPU_JIT devices compatible with node)"
)


def test_an_op_without_a_kernel_is_told_at_the_line_that_asks_for_xla() -> None:
    source = "import tensorflow as tf\n\n@tf.function(jit_compile=True)\ndef step(x):\n    return f(x)\n\nstep(1)\n"
    found = cause(raised("InvalidArgumentError", UNSUPPORTED, number=7), source=source)
    assert (found.code, found.location.line if found.location else 0) == ("GPU007", 3)
    assert "no kernel for `tf.py_function` (the op EagerPyFunc)" in found.message
    assert "`jit_compile=False` on line 3" in found.advice[0]


def test_without_such_a_line_it_is_keras_that_chose() -> None:
    found = cause(raised("InvalidArgumentError", UNSUPPORTED))
    assert (found.code, found.location.line if found.location else 0) == ("GPU007", 5)
    assert "which Keras chooses on a GPU" in found.advice[0]
