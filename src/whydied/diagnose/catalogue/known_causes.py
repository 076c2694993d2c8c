"""The known causes. Each has an example, from which the tests know that its signature finds what it is for. Pure."""

from __future__ import annotations

import re
import signal

from whydied.diagnose.catalogue.known_cause import KnownCause

_ABORT = (signal.SIGABRT,)
_CRASH = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS)
_LARGEST = 2**31 - 1

KNOWN: tuple[KnownCause, ...] = (
    KnownCause(
        name="too many elements",
        text=re.compile(
            r"Check failed: 0 <= new_num_elements"
            r"|[Ss]hape (?P<shape>\[[\d,]+\]) would have more than 2\*\*63 - 1 elements"
        ),
        words="a tensor{shape} was requested that has more elements than a 64-bit number can count; TensorFlow "
        "aborts there instead of raising",
        advice="Check the sizes passed to this call: one of them, or their product, is far too large.",
        references=("tensorflow/tensorflow#40138", "tensorflow/tensorflow#51908", "tensorflow/tensorflow#108663"),
        example="F0000 00:00:1.5 7 tensor_shape.cc:424] Check failed: 0 <= new_num_elements (0 vs. -1) ",
        signals=_ABORT,
    ),
    KnownCause(
        name="attribute out of range",
        text=re.compile(r"Attr (?P<attribute>\w+) has value (?P<value>-?\d+) out of range for an int32"),
        words="`{attribute}` is {value}, but this op takes 32-bit integers, at most "
        f"{_LARGEST}; TensorFlow aborts there instead of raising",
        advice="Pass a smaller `{attribute}`.",
        references=("tensorflow/tensorflow#85251", "tensorflow/tensorflow#74914"),
        example="2025-01-18 12:09:37.05: F tensorflow/core/common_runtime/mkl_layout_pass.cc:1609] Non-OK-status: "
        'GetNodeAttr(n->def(), "ksize", &ksize) status: INVALID_ARGUMENT: Attr ksize has value 3134755050008138495 '
        "out of range for an int32",
        signals=_ABORT,
    ),
    KnownCause(
        name="axis that is not there",
        text=re.compile(r"Check failed: d < dims\(\) \((?P<axis>\d+) vs\. (?P<rank>\d+)\)"),
        words="native code asked for axis {axis}, counted from 0, of a tensor of rank {rank}; TensorFlow aborts there "
        "instead of raising",
        advice="Check the ranks of the tensors passed to this call: one of them has too few axes.",
        references=("tensorflow/tensorflow#104846",),
        example="F0000 00:00:1794790708.278845   23435 tensor_shape.cc:362] Check failed: d < dims() (1 vs. 1) ",
        signals=_ABORT,
    ),
    KnownCause(
        name="wrong rank",
        text=re.compile(r"Check failed: NDIMS == dims\(\) \((?P<wanted>\d+) vs\. (?P<rank>\d+)\)"),
        words="a tensor of rank {rank} was passed where native code takes one of rank {wanted}; TensorFlow aborts "
        "there "
        "instead of raising",
        advice="Reshape the tensor passed to this call to rank {wanted}.",
        references=("tensorflow/tensorflow#6276",),
        example="F tensorflow/core/framework/tensor_shape.cc:36] Check failed: NDIMS == dims() (2 vs. 1)Asking for "
        "tensor "
        "of 2 dimensions from a tensor of 1 dimensions",
        signals=_ABORT,
    ),
    KnownCause(
        name="too much work for one launch",
        text=re.compile(r"Check failed: work_element_count >= 0 \(0 vs\. (?P<count>-\d+)\)"),
        words="an op on the GPU has more than 2**31 elements to work on, and its count overflowed to {count}",
        advice="Make the output of this call smaller, or run it in parts.",
        references=("tensorflow/tensorflow#64023",),
        example="F ./tensorflow/core/util/gpu_launch_config.h:129] Check failed: work_element_count >= 0 "
        "(0 vs. -697111812)",
        signals=_ABORT,
    ),
    KnownCause(
        name="no more threads",
        text=re.compile(
            r"Check failed: re[st] == 0 \(11 vs\. 0\)\s*(?:Thread )?(?P<thread>\w+)?.*pthread_create|"
            r"OpenBLAS blas_thread_init: pthread_create failed"
        ),
        words="the system could not start another thread{thread}: a limit on processes, or no memory for its stack",
        advice="Raise the limit (`ulimit -u`, the container's pids limit) or use fewer threads "
        "(`OMP_NUM_THREADS`, `tf.config.threading`, fewer parallel calls); if memory is short, deal with that first.",
        references=("tensorflow/tensorflow#41532", "tensorflow/tensorflow#64681"),
        example="2024-03-28 10:00:00.1: F external/local_tsl/tsl/platform/default/env.cc:74] Check failed: ret == 0 "
        "(11 vs. 0)Thread tf_data_private_threadpool creation via pthread_create() failed.",
        signals=_CRASH,
    ),
    KnownCause(
        name="protobuf file registered twice",
        text=re.compile(r"descriptor_database\.cc:\d+\] File already exists in database: (?P<file>\S+)"),
        words="two native libraries in this process contain their own copy of the protobuf file {file}",
        advice="Do not load both libraries in one process, or install builds that share one protobuf "
        "(all with conda, or all with pip).",
        references=("tensorflow/tensorflow#61593", "protocolbuffers/protobuf#15194"),
        example="[libprotobuf ERROR google/protobuf/descriptor_database.cc:641] File already exists in "
        "database: a/b.proto",
        signals=_CRASH,
    ),
    KnownCause(
        name="two copies of one native library",
        text=re.compile(r"system_error: mutex lock failed: Invalid argument"),
        words="two packages loaded in this process (TensorFlow and, in most reports, PyArrow) load native libraries "
        "that use each other's functions",
        advice="Import TensorFlow in a process without the other package, or install tensorflow<2.20.",
        references=("tensorflow/tensorflow#98563", "tensorflow/tensorflow#99464", "apache/arrow#40088"),
        example="libc++abi: terminating due to uncaught exception of type std::__1::system_error: mutex lock failed: "
        "Invalid argument",
        certainty="likely",
        signals=_ABORT,
        since="2.20",
    ),
    KnownCause(
        name="no room for static TLS",
        text=re.compile(
            r"(?P<library>[^\s:'\"\[]+): cannot allocate memory in static TLS block"
            r"|cannot load any more object with static TLS"
        ),
        words="the library{library} needs thread-local memory that libraries loaded before it have used up",
        advice="Import the package that this library belongs to first, or preload the library (LD_PRELOAD).",
        references=("dmlc/xgboost#8488", "opencv/opencv#14884", "tensorflow/tensorflow#19010"),
        example="ImportError: /usr/lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate memory in static TLS block",
        raises=True,
    ),
    KnownCause(
        name="libdevice not found",
        text=re.compile(r"libdevice not found at (?P<file>\S+)"),
        words="XLA compiles for the GPU but cannot find CUDA's libdevice (it looked for {file})",
        advice="Set XLA_FLAGS=--xla_gpu_cuda_data_dir to the CUDA directory that has nvvm/libdevice, or "
        "`pip install 'tensorflow[and-cuda]'`; without XLA: `model.compile(jit_compile=False)`.",
        references=("tensorflow/tensorflow#58681", "keras-team/tf-keras#62"),
        example="InternalError: libdevice not found at ./libdevice.10.bc [Op:__inference_train_step_1]",
        raises=True,
        signals=_ABORT,
    ),
)
