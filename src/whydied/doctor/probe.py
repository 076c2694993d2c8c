"""What an interpreter knows of itself. Its text also runs in interpreters that are not ours, given with `-c`: plain
Python 3.6 without annotations, the standard library alone, and one line of JSON at the end of the output.
"""

import json
import os
import platform
import sys


def facts():  # type: ignore[no-untyped-def]
    return {
        "executable": sys.executable,
        "version": list(sys.version_info[:3]),
        "prefix": sys.prefix,
        "path": list(sys.path),
        "glibc": _glibc(),  # type: ignore[no-untyped-call]
        "markers": {
            "implementation_name": sys.implementation.name,
            "implementation_version": platform.python_version(),
            "os_name": os.name,
            "platform_machine": platform.machine(),
            "platform_python_implementation": platform.python_implementation(),
            "platform_release": platform.release(),
            "platform_system": platform.system(),
            "platform_version": platform.version(),
            "python_full_version": platform.python_version(),
            "python_version": "%d.%d" % sys.version_info[:2],  # noqa: UP031
            "sys_platform": sys.platform,
            "bits": "64" if sys.maxsize > 2**32 else "32",
            "free_threaded": "1" if "t" in getattr(sys, "abiflags", "") else "0",
        },
    }


def _glibc():  # type: ignore[no-untyped-def]
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    except (AttributeError, ValueError, OSError):
        return ""
    return version if name == "glibc" else ""


if __name__ == "__main__":
    print(json.dumps(facts()))  # type: ignore[no-untyped-call] # noqa: T201
