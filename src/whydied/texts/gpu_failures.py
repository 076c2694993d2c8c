"""What CUDA, cuDNN and NVIDIA's driver say when they fail. Pure.

No machine with a GPU has run these; each is from a report or from NVIDIA's own list of errors.
"""

from __future__ import annotations

import re

from whydied.texts.entry import Text

_ERRORS = "NVIDIA's list of CUDA driver errors"
_STATUS = "NVIDIA's list of cuDNN and cuBLAS statuses"
_MEMORY = "the reports that GPU001 lists"
_VERSIONS = "the reports that GPU004 lists"
_XID = "NVIDIA: XID Errors"

# The driver, in the kernel's log.

XID = Text(
    "kernel",
    r"NVRM: Xid \((?P<bus>[^)]*)\): (?P<number>\d+)(?:,|\b)(?P<rest>.*)",
    "NVRM: Xid (PCI:0000:01:00): 31, pid=4242, name=python, Ch 00000018, MMU Fault",
    known_from=_XID,
)
XID_PROCESS = Text("kernel", r"pid='?(\d+)", XID.example, known_from=_XID)
OFF_THE_BUS = Text(
    "kernel",
    r"NVRM:.*(?:fallen off the bus|GPU is lost)",
    "NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.",
    known_from=_XID,
)
DEVICE_FAULT = Text(
    "kernel",
    r"NVRM:.*(?:\bXid\b|fallen off the bus|GPU is lost|RmInitAdapter failed)",
    OFF_THE_BUS.example,
    known_from=_XID,
)

# Work that failed.

WORK_FAILED = Text(
    "cuda",
    r"CUDA_ERROR_(?:LAUNCH_FAILED|LAUNCH_TIMEOUT|ILLEGAL_ADDRESS|ILLEGAL_INSTRUCTION|MISALIGNED_ADDRESS|INVALID_PC"
    r"|INVALID_ADDRESS_SPACE|HARDWARE_STACK_ERROR|ECC_UNCORRECTABLE|CONTAINED|UNKNOWN|ASSERT)",
    "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered",
    known_from=_ERRORS,
)
WORK_FAILED_IN_WORDS = Text(
    "cuda",
    r"unspecified launch failure|an illegal memory access was encountered|GPU is lost|device is lost"
    r"|uncorrectable ECC error|fallen off the bus",
    "could not synchronize on CUDA context: unspecified launch failure",
    known_from="the reports that GPU003 lists",
)
FORKED = Text(
    "cuda",
    r"CUDA_ERROR_NOT_INITIALIZED|cudaErrorInitializationError|Status: initialization error",
    "failed call to cuInit: CUDA_ERROR_NOT_INITIALIZED: initialization error",
    known_from="the reports that ENV007 lists",
)

# Memory of the device; see also `allocators`.

COPY_WITHOUT_ROOM = Text(
    "tensorflow",
    r"Dst tensor is not initialized",
    "Failed copying input tensor from CPU:0 to GPU:0 in order to run Pack: Dst tensor is not initialized. [Op:Pack]",
    known_from=_MEMORY,
)
OUT_OF_MEMORY_STATUS = Text(
    "tensorflow", r"RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED: Out of memory", known_from=_MEMORY
)
LIBRARY_DID_NOT_START = Text(
    "tensorflow",
    r"could not create cudnn handle|cuDNN failed to initialize|Failed to get convolution algorithm"
    r"|DNN library initialization failed|Check failed: stream->parent\(\)->Get\w*Algorithms",
    "Could not create cudnn handle: CUDNN_STATUS_ALLOC_FAILED",
    known_from=_MEMORY,
    flags=re.IGNORECASE,
)
LIBRARY_NOT_FOUND = Text("tensorflow", r"DNN library is not found", "DNN library is not found.", known_from=_VERSIONS)
LIBRARY_WITHOUT_MEMORY = Text(
    "cuda",
    r"CUDNN_STATUS_ALLOC_FAILED|CUBLAS_STATUS_ALLOC_FAILED|CUBLAS_STATUS_NOT_INIT",
    "failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED",
    known_from=_STATUS,
)
OTHER_REASON = Text(
    "tensorflow",
    r"Loaded runtime CuDNN library|driver version is insufficient|cannot open shared object",
    "Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.",
    known_from=_VERSIONS,
)
MEMORY_IN_LOG = Text(
    "tensorflow",
    r"ran out of memory trying|failed to allocate|CUDA_ERROR_OUT_OF_MEMORY|_ALLOC_FAILED|cudnn handle",
    "failed to allocate 8.00G (8589934592 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
    known_from=_MEMORY,
)

# Versions that do not fit each other.

LIBRARY_SYMPTOM = Text(
    "tensorflow",
    r"cudnn|DNN library|No DNN in stream|Failed to get convolution algorithm|cudaGetDevice|cublas|cusolver|cufft"
    r"|CUDA (?:driver|runtime) version|CUDA_ERROR_(?:SYSTEM_DRIVER_MISMATCH|COMPAT_NOT_SUPPORTED|NO_BINARY_FOR_GPU"
    r"|UNSUPPORTED_PTX_VERSION|INVALID_IMAGE)|no kernel image is available|Get\w*Algorithms\(",
    "No DNN in stream executor.",
    known_from=_VERSIONS,
    flags=re.IGNORECASE,
)
CUDNN_VERSIONS = Text(
    "tensorflow",
    r"Loaded runtime CuDNN library: (?P<loaded>[\d.]+).{0,40}?but source was compiled with:? (?P<built>[\d.]*\d)",
    OTHER_REASON.example,
    known_from=_VERSIONS,
    flags=re.IGNORECASE | re.DOTALL,
)
LIBRARY_MISSING = Text(
    "tensorflow",
    r"Could not load (?:dynamic )?library '?(?P<first>lib(?:cu|nv)[\w.+-]*)"
    r"|(?P<second>lib(?:cu|nv)[\w+-]*\.so[\w.]*): cannot open shared object file"
    r"|Unable to load .{0,40}(?P<third>libcudnn[\w.+-]*)",
    "Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file",
    known_from=_VERSIONS,
)
DRIVER_TOO_OLD = Text(
    "cuda",
    r"CUDA driver version is insufficient for CUDA runtime version|CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
    r"|CUDA_ERROR_COMPAT_NOT_SUPPORTED|CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
    "cudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version",
    known_from=_ERRORS,
)
NO_CODE_FOR_DEVICE = Text(
    "cuda",
    r"no kernel image is available for execution|CUDA_ERROR_NO_BINARY_FOR_GPU",
    "no kernel image is available for execution on the device",
    known_from=_ERRORS,
)
ABOUT_MEMORY = Text(
    "cuda",
    r"_ALLOC_FAILED|OUT_OF_MEMORY|RESOURCE_EXHAUSTED|OOM when",
    "CUDA_ERROR_OUT_OF_MEMORY: out of memory",
    known_from=_ERRORS,
)
LIBRARY_IN_LOG = Text(
    "tensorflow",
    r"CuDNN library|cudnn handle|Could not load|driver version|cannot open shared object|CUDNN_STATUS",
    LIBRARY_MISSING.example,
    known_from=_VERSIONS,
)
