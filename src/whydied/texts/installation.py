"""What libraries say that do not fit each other, and native aborts whose reason is known. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

_REPORTS = "the reports that ENV006 lists"

# Interfaces.

OLD_GENERATED_CODE = Text(
    "protobuf",
    r"Descriptors cannot (?:not )?be created directly",
    "Descriptors cannot be created directly.",
    seen=("protobuf 7.36",),
    provoked_by="""\
from google.protobuf import descriptor
descriptor.FieldDescriptor(name="a", full_name="a", index=0, number=1, type=1, cpp_type=1, label=1,
    default_value=0, message_type=None, enum_type=None, containing_type=None, is_extension=False,
    extension_scope=None)""",
)
GENERATED_FOR_ANOTHER = Text(
    "protobuf",
    r"Detected (?:incompatible|mismatched) Protobuf Gencode/Runtime",
    "Detected incompatible Protobuf Gencode/Runtime versions when loading a.proto: gencode 99.0.0 runtime 5.28.3.",
    seen=("protobuf 7.36",),
    provoked_by="""\
from google.protobuf import runtime_version
runtime_version.ValidateProtobufRuntimeVersion(runtime_version.DOMAIN, 99, 0, 0, "", "a.proto")""",
)
BUILT_FOR_NUMPY_1 = Text(
    "numpy",
    r"compiled using NumPy 1\.x cannot be run in\s+NumPy (?P<there>\S+)",
    "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.4.6 as it may crash.",
    known_from=_REPORTS,
)
OTHER_NUMPY_INTERFACE = Text(
    "numpy",
    r"compiled against (?:API|ABI) version (?P<wanted>0x\w+) but this version of numpy is (?P<there>0x\w+)",
    "module compiled against API version 0x10 but this version of numpy is 0xf",
    known_from=_REPORTS,
)
NUMPY_SIZE_CHANGED = Text(
    "numpy",
    r"numpy\.\w+ size changed.*?Expected (?P<wanted>\d+) from C header, got (?P<there>\d+)",
    "numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject",
    known_from=_REPORTS,
    flags=re.DOTALL,
)
NUMPY_BASELINE = Text(
    "numpy",
    r"built with baseline optimizations: \s*\(([A-Z0-9_ ]+)\) but",
    "NumPy was built with baseline optimizations: \n(X86_V2) but your machine doesn't support:\n(X86_V2).",
    known_from="the text that is compiled into NumPy's _multiarray_umath, for processors older than it needs",
)
LIBRARY_TOO_OLD = Text(
    "glibc",
    r"version [`'](?P<wanted>GLIBC(?:XX)?_[\d.]+)' not found",
    "/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by libtensorflow_cc.so.2)",
    known_from=_REPORTS,
)
OPENMP_TWICE = Text(
    "openmp",
    r"OMP: Error #15: Initializing (?P<second>\S+?), but found (?P<first>\S+) already initialized",
    "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.",
    known_from="the reports that ENV004 lists",
)

# Known causes: the references stand with them, in diagnose/catalogue.

TOO_MANY_ELEMENTS = Text(
    "tensorflow",
    r"Check failed: 0 <= new_num_elements"
    r"|[Ss]hape (?P<shape>\[[\d,]+\]) would have more than 2\*\*63 - 1 elements",
    "F0000 00:00:1.5 7 tensor_shape.cc:424] Check failed: 0 <= new_num_elements (0 vs. -1) ",
    known_from="tensorflow/tensorflow#40138",
)
ATTRIBUTE_OUT_OF_RANGE = Text(
    "tensorflow",
    r"Attr (?P<attribute>\w+) has value (?P<value>-?\d+) out of range for an int32",
    "2025-01-18 12:09:37.05: F tensorflow/core/common_runtime/mkl_layout_pass.cc:1609] Non-OK-status: "
    'GetNodeAttr(n->def(), "ksize", &ksize) status: INVALID_ARGUMENT: Attr ksize has value 3134755050008138495 '
    "out of range for an int32",
    seen=("tensorflow 2.21",),
    provoked_by="native/pool_window.py",
)
NO_SUCH_AXIS = Text(
    "tensorflow",
    r"Check failed: d < dims\(\) \((?P<axis>\d+) vs\. (?P<rank>\d+)\)",
    "F0000 00:00:1794790708.278845   23435 tensor_shape.cc:362] Check failed: d < dims() (1 vs. 1) ",
    seen=("tensorflow 2.21",),
    provoked_by="native/unbatch_rank.py",
)
WRONG_RANK = Text(
    "tensorflow",
    r"Check failed: NDIMS == dims\(\) \((?P<wanted>\d+) vs\. (?P<rank>\d+)\)",
    "F tensorflow/core/framework/tensor_shape.cc:36] Check failed: NDIMS == dims() (2 vs. 1)Asking for tensor "
    "of 2 dimensions from a tensor of 1 dimensions",
    known_from="tensorflow/tensorflow#6276",
)
TOO_MUCH_FOR_ONE_LAUNCH = Text(
    "tensorflow",
    r"Check failed: work_element_count >= 0 \(0 vs\. (?P<count>-\d+)\)",
    "F ./tensorflow/core/util/gpu_launch_config.h:129] Check failed: work_element_count >= 0 (0 vs. -697111812)",
    known_from="GPU; tensorflow/tensorflow#64023",
)
NO_THREAD = Text(
    "tensorflow",
    r"Check failed: re[st] == 0 \(11 vs\. 0\)\s*(?:Thread )?(?P<thread>\w+)?.*pthread_create|"
    r"OpenBLAS blas_thread_init: pthread_create failed",
    "2024-03-28 10:00:00.1: F external/local_tsl/tsl/platform/default/env.cc:74] Check failed: ret == 0 "
    "(11 vs. 0)Thread tf_data_private_threadpool creation via pthread_create() failed.",
    known_from="tensorflow/tensorflow#41532, #64681",
)
REGISTERED_TWICE = Text(
    "protobuf",
    r"descriptor_database\.cc:\d+\] File already exists in database: (?P<file>\S+)",
    "[libprotobuf ERROR google/protobuf/descriptor_database.cc:641] File already exists in database: a/b.proto",
    known_from="tensorflow/tensorflow#61593, protocolbuffers/protobuf#15194",
)
MUTEX_OF_ANOTHER = Text(
    "libstdc++",
    r"system_error: mutex lock failed: Invalid argument",
    "libc++abi: terminating due to uncaught exception of type std::__1::system_error: mutex lock failed: "
    "Invalid argument",
    known_from="macOS; tensorflow/tensorflow#98563, #99464",
)
NO_STATIC_TLS = Text(
    "glibc",
    r"(?P<library>[^\s:'\"\[]+): cannot allocate memory in static TLS block"
    r"|cannot load any more object with static TLS",
    "ImportError: /usr/lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate memory in static TLS block",
    known_from="dmlc/xgboost#8488, opencv/opencv#14884",
)
NO_LIBDEVICE = Text(
    "tensorflow",
    r"libdevice not found at (?P<file>\S+)",
    "InternalError: libdevice not found at ./libdevice.10.bc [Op:__inference_train_step_1]",
    known_from="GPU; tensorflow/tensorflow#58681",
)
