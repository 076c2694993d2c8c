"""What CUDA, cuDNN and NVIDIA's driver say when they fail. Pure.

No machine with a GPU has run these; each is from a report or from NVIDIA's own list of errors.
"""

from __future__ import annotations

import re

from whydied.texts.entry import Text

# The driver, in the kernel's log.

XID = Text("kernel", r"NVRM: Xid \((?P<bus>[^)]*)\): (?P<number>\d+)(?:,|\b)(?P<rest>.*)")
XID_PROCESS = Text("kernel", r"pid='?(\d+)")
OFF_THE_BUS = Text("kernel", r"NVRM:.*(?:fallen off the bus|GPU is lost)")
DEVICE_FAULT = Text("kernel", r"NVRM:.*(?:\bXid\b|fallen off the bus|GPU is lost|RmInitAdapter failed)")

# Work that failed.

WORK_FAILED = Text(
    "cuda",
    r"CUDA_ERROR_(?:LAUNCH_FAILED|LAUNCH_TIMEOUT|ILLEGAL_ADDRESS|ILLEGAL_INSTRUCTION|MISALIGNED_ADDRESS|INVALID_PC"
    r"|INVALID_ADDRESS_SPACE|HARDWARE_STACK_ERROR|ECC_UNCORRECTABLE|CONTAINED|UNKNOWN|ASSERT)",
)
WORK_FAILED_IN_WORDS = Text(
    "cuda",
    r"unspecified launch failure|an illegal memory access was encountered|GPU is lost|device is lost"
    r"|uncorrectable ECC error|fallen off the bus",
)
FORKED = Text("cuda", r"CUDA_ERROR_NOT_INITIALIZED|cudaErrorInitializationError|Status: initialization error")

# Memory of the device; see also `allocators`.

COPY_WITHOUT_ROOM = Text("tensorflow", r"Dst tensor is not initialized")
OUT_OF_MEMORY_STATUS = Text("tensorflow", r"RESOURCE_EXHAUSTED")
LIBRARY_DID_NOT_START = Text(
    "tensorflow",
    r"could not create cudnn handle|cuDNN failed to initialize|Failed to get convolution algorithm"
    r"|DNN library initialization failed|Check failed: stream->parent\(\)->Get\w*Algorithms",
    flags=re.IGNORECASE,
)
LIBRARY_NOT_FOUND = Text("tensorflow", r"DNN library is not found")
LIBRARY_WITHOUT_MEMORY = Text("cuda", r"CUDNN_STATUS_ALLOC_FAILED|CUBLAS_STATUS_ALLOC_FAILED|CUBLAS_STATUS_NOT_INIT")
OTHER_REASON = Text(
    "tensorflow", r"Loaded runtime CuDNN library|driver version is insufficient|cannot open shared object"
)
MEMORY_IN_LOG = Text(
    "tensorflow", r"ran out of memory trying|failed to allocate|CUDA_ERROR_OUT_OF_MEMORY|_ALLOC_FAILED|cudnn handle"
)

# Versions that do not fit each other.

LIBRARY_SYMPTOM = Text(
    "tensorflow",
    r"cudnn|DNN library|No DNN in stream|Failed to get convolution algorithm|cudaGetDevice|cublas|cusolver|cufft"
    r"|CUDA (?:driver|runtime) version|CUDA_ERROR_(?:SYSTEM_DRIVER_MISMATCH|COMPAT_NOT_SUPPORTED|NO_BINARY_FOR_GPU"
    r"|UNSUPPORTED_PTX_VERSION|INVALID_IMAGE)|no kernel image is available|Get\w*Algorithms\(",
    flags=re.IGNORECASE,
)
CUDNN_VERSIONS = Text(
    "tensorflow",
    r"Loaded runtime CuDNN library: (?P<loaded>[\d.]+).{0,40}?but source was compiled with:? (?P<built>[\d.]*\d)",
    flags=re.IGNORECASE | re.DOTALL,
)
LIBRARY_MISSING = Text(
    "tensorflow",
    r"Could not load (?:dynamic )?library '?(?P<first>lib(?:cu|nv)[\w.+-]*)"
    r"|(?P<second>lib(?:cu|nv)[\w+-]*\.so[\w.]*): cannot open shared object file"
    r"|Unable to load .{0,40}(?P<third>libcudnn[\w.+-]*)",
)
DRIVER_TOO_OLD = Text(
    "cuda",
    r"CUDA driver version is insufficient for CUDA runtime version|CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
    r"|CUDA_ERROR_COMPAT_NOT_SUPPORTED|CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
)
NO_CODE_FOR_DEVICE = Text(
    "cuda", r"no kernel image is available for execution|CUDA_ERROR_NO_BINARY_FOR_GPU|CUDA_ERROR_INVALID_PTX"
)
KERNEL_NOT_LOADED = Text("tensorflow", r"cuLaunchKernel\(.{0,300}\)' failed with 'CUDA_ERROR_INVALID_HANDLE'")
NOT_BUILT_FOR = Text(
    "tensorflow", r"not built with CUDA kernel binaries compatible with compute capability (?P<capability>\d+\.\d+)"
)
DEVICE_OF_TORCH = Text(
    "torch", r"CUDA capability (?P<device>sm_\d+\w?) is not compatible with the current PyTorch installation"
)
CODE_OF_TORCH = Text("torch", r"install supports CUDA capabilities (?P<codes>(?:(?:sm|compute)_\d+\w? ?)+)")

# XLA.

NOT_FOR_XLA = Text(
    "tensorflow",
    r"Detected unsupported operations when trying to compile graph .{0,300}? on XLA_(?P<device>\w+)_JIT: (?P<op>\w+)",
    flags=re.DOTALL,
)

# A device that is asked for and is not there.

DEVICE_NOT_AVAILABLE = Text(
    "tensorflow",
    r"(?:Could not satisfy (?:explicit )?device specification|"
    r"(?:Operation|\{\{node \S+\}\}) was explicitly assigned to) '?\S*device:GPU:(?P<index>\d+)",
)
TORCH_WITHOUT_CUDA = Text("torch", r"Torch not compiled with CUDA enabled|Found no NVIDIA driver on your system")

# A device that is there and was not taken.

DEVICE_IGNORED = Text(
    "tensorflow",
    r"Ignoring visible gpu device .{0,300}? with Cuda compute capability (?P<capability>[\d.]*\d)\."
    r" The minimum required Cuda capability is (?P<least>[\d.]*\d)",
    flags=re.DOTALL,
)
LIBRARIES_NOT_LOADED = Text("tensorflow", r"Cannot dlopen some GPU libraries")
CUDA_DID_NOT_START = Text("tensorflow", r"failed call to cuInit: (?P<error>[^\n]{1,200})")
ABOUT_MEMORY = Text("cuda", r"_ALLOC_FAILED|OUT_OF_MEMORY|RESOURCE_EXHAUSTED|OOM when")
LIBRARY_IN_LOG = Text(
    "tensorflow", r"CuDNN library|cudnn handle|Could not load|driver version|cannot open shared object|CUDNN_STATUS"
)
