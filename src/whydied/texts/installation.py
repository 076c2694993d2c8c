"""What libraries say that do not fit each other, and native aborts whose reason is known. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

# Interfaces.

OLD_GENERATED_CODE = Text("protobuf", r"Descriptors cannot (?:not )?be created directly")
GENERATED_FOR_ANOTHER = Text("protobuf", r"Detected (?:incompatible|mismatched) Protobuf Gencode/Runtime")
GENCODE_VERSIONS = Text(
    "protobuf", r"gencode (?P<gencode>\d+\.\d+[\d.]*\d).{0,5}? runtime (?P<runtime>\d+\.\d+[\d.]*\d)"
)
NO_GET_PROTOTYPE = Text("protobuf", r"'(?:MessageFactory|SymbolDatabase)' object has no attribute 'GetPrototype'")
NO_RUNTIME_VERSION = Text("protobuf", r"cannot import name 'runtime_version' from 'google\.protobuf'")
NO_BUILDER = Text("protobuf", r"cannot import name 'builder' from 'google\.protobuf\.internal'")
NO_CREATE_KEY = Text("protobuf", r"module 'google\.protobuf\.descriptor' has no attribute '_internal_create_key'")
BUILT_FOR_NUMPY_1 = Text("numpy", r"compiled using NumPy 1\.x cannot be run in\s+NumPy (?P<there>\S+)")
OTHER_NUMPY_INTERFACE = Text(
    "numpy", r"compiled against (?:API|ABI) version (?P<wanted>0x\w+) but this version of numpy is (?P<there>0x\w+)"
)
NUMPY_SIZE_CHANGED = Text(
    "numpy", r"numpy\.\w+ size changed.*?Expected (?P<wanted>\d+) from C header, got (?P<there>\d+)", flags=re.DOTALL
)
NUMPY_BASELINE = Text("numpy", r"built with baseline optimizations: \s*\(([A-Z0-9_ ]+)\) but")
LIBRARY_TOO_OLD = Text("glibc", r"version [`'](?P<wanted>GLIBC(?:XX)?_[\d.]+)' not found")
OPENMP_TWICE = Text(
    "openmp", r"OMP: Error #15: Initializing (?P<second>\S+?), but found (?P<first>\S+) already initialized"
)

# Packages that are not there.

DLL_LOAD_FAILED = Text("python", r"DLL load failed(?: while importing (?P<module>\w+))?: (?P<why>[^\n]+)")
METAL_SYMBOL = Text("tensorflow", r"libmetal_plugin\.dylib.{0,300}Symbol not found", flags=re.DOTALL)
WITHOUT_INSTRUCTIONS = Text("tensorflow", r"was compiled to use (?P<what>\S+) instructions, but these aren't available")
LIBRARY_NOT_OPENED = Text("glibc", r"(?P<library>lib[\w.+-]+?\.so[\w.]*): cannot open shared object file")
ASKS_TO_INSTALL = Text("keras", r"\bpip3? install [`'\"]?(?P<package>[A-Za-z][\w-]*)")
NEEDS_GRAPHVIZ = Text("keras", r"must install graphviz|[Gg]raphviz's executables|\"dot\" not found in path")

# Known causes: the references stand with them, in diagnose/catalogue.

TOO_MANY_ELEMENTS = Text(
    "tensorflow",
    r"Check failed: 0 <= new_num_elements"
    r"|[Ss]hape (?P<shape>\[[\d,]+\]) would have more than 2\*\*63 - 1 elements",
)
ATTRIBUTE_OUT_OF_RANGE = Text(
    "tensorflow", r"Attr (?P<attribute>\w+) has value (?P<value>-?\d+) out of range for an int32"
)
NO_SUCH_AXIS = Text("tensorflow", r"Check failed: d < dims\(\) \((?P<axis>\d+) vs\. (?P<rank>\d+)\)")
WRONG_RANK = Text("tensorflow", r"Check failed: NDIMS == dims\(\) \((?P<wanted>\d+) vs\. (?P<rank>\d+)\)")
TOO_MUCH_FOR_ONE_LAUNCH = Text("tensorflow", r"Check failed: work_element_count >= 0 \(0 vs\. (?P<count>-\d+)\)")
NO_THREAD = Text(
    "tensorflow",
    r"Check failed: re[st] == 0 \(11 vs\. 0\)\s*(?:Thread )?(?P<thread>\w+)?.*pthread_create|"
    r"OpenBLAS blas_thread_init: pthread_create failed",
)
REGISTERED_TWICE = Text("protobuf", r"descriptor_database\.cc:\d+\] File already exists in database: (?P<file>\S+)")
MUTEX_OF_ANOTHER = Text("libstdc++", r"system_error: mutex lock failed: Invalid argument")
NO_STATIC_TLS = Text(
    "glibc",
    r"(?P<library>[^\s:'\"\[]+): cannot allocate memory in static TLS block"
    r"|cannot load any more object with static TLS",
)
NO_LIBDEVICE = Text("tensorflow", r"libdevice not found at (?P<file>\S+)")
