"""What TensorFlow, PyTorch and JAX were built for and which devices they found; runs in the user's process, off its hot
path.

Invariant: only what is in memory already is read, so no library starts or looks for devices because of us. A library
that has not looked yet has found nothing, which is not the same as no device.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from whydied.inside import journal
from whydied.inside.guest.guard import guarded
from whydied.inside.process import versions
from whydied.records import DevicesSeen

_HIDING = "CUDA_VISIBLE_DEVICES"
_PACKAGES = ("tensorflow_cpu", "tensorflow_gpu", "tensorflow_intel", "tf_nightly_cpu", "tf_nightly", "intel_tensorflow")

_from_start = os.environ.get(_HIDING)
_seen: dict[str, DevicesSeen] = {}


@guarded("device_facts.see")
def see() -> None:
    """Record what is known of the devices of each library, where there is news."""
    for look in (_tensorflow, _torch, _jax):
        seen = look()
        if seen is not None and _seen.get(seen.library) != seen:
            _seen[seen.library] = seen
            journal.write(seen)


def _tensorflow() -> DevicesSeen | None:
    """A build for ROCm is none of ours."""
    build = _value("tensorflow.python.platform.build_info", "build_info")
    context = _value("tensorflow.python.eager.context", "_context")
    own = getattr(context, "__dict__", {})
    found = own.get("_physical_devices")
    if not isinstance(build, dict) or build.get("is_rocm_build") or not isinstance(found, list):
        return None
    is_cuda = bool(build.get("is_cuda_build"))
    opened = own.get("_context_handle") is not None
    # One that was only asked what there is may still be told to leave it.
    visible = own.get("_visible_device_list") if opened else found
    return DevicesSeen(
        library="tensorflow",
        version=_text(_value("tensorflow", "__version__")),
        package=_package() if "tensorflow" not in _seen else _seen["tensorflow"].package,
        cuda=(_text(build.get("cuda_version")) or "unknown") if is_cuda else "",
        cudnn=_text(build.get("cudnn_version")) if is_cuda else "",
        capabilities=[_text(one) for one in build.get("cuda_compute_capabilities", ())][:40],
        found=_types(found) if opened else None,
        visible=_types(visible),
        hidden_from_start=_from_start,
        hidden=os.environ.get(_HIDING),
    )


def _types(devices: Any) -> list[str]:
    return sorted({_text(getattr(one, "device_type", "")) for one in devices or ()} - {""})


def _torch() -> DevicesSeen | None:
    cuda = _value("torch.version", "cuda")
    version = _text(_value("torch", "__version__"))
    if not version or "torch.cuda" not in sys.modules:
        return None
    opened = _value("torch.cuda", "_initialized") is True
    return DevicesSeen(
        library="torch",
        version=version,
        package="torch",
        cuda=_text(cuda),
        # Without CUDA it computes on the CPU whatever the program asks for; with it, only the program knows.
        found=["CPU", "GPU"] if opened else ["CPU"] if cuda is None else None,
        visible=["CPU", "GPU"] if opened else ["CPU"],
        hidden_from_start=_from_start,
        hidden=os.environ.get(_HIDING),
    )


def _jax() -> DevicesSeen | None:
    backends = _value("jax._src.xla_bridge", "_backends")
    if not isinstance(backends, dict) or not backends:
        return None
    asked = os.environ.get("JAX_PLATFORMS") or os.environ.get("JAX_PLATFORM_NAME") or ""
    types = sorted({"GPU" if name in ("cuda", "gpu", "rocm") else name.upper() for name in map(_text, backends)})
    return DevicesSeen(
        library="jax",
        version=_text(_value("jax", "__version__")),
        package="jax",
        cuda="unknown" if any(name.startswith("jax_plugins.xla_cuda") for name in list(sys.modules)) else "",
        found=types,
        # Whoever names the platform has chosen.
        visible=types,
        hidden_from_start=_from_start,
        hidden="-1" if "cpu" in asked else os.environ.get(_HIDING),
    )


def _package() -> str:
    """The name under which TensorFlow was installed, from what lies beside it."""
    file = _text(_value("tensorflow", "__file__"))
    try:
        names = os.listdir(os.path.dirname(os.path.dirname(file))) if file else []
    except OSError:
        return "tensorflow"
    there = {name.partition("-")[0] for name in names if name.endswith(".dist-info")}
    found = next((name for name in _PACKAGES if name in there), "tensorflow")
    return found.replace("_", "-")


def _value(module: str, name: str) -> Any:
    loaded = sys.modules.get(module)
    return loaded.__dict__.get(name) if loaded is not None else None


def _text(value: Any) -> str:
    return (versions.plain(value) or "")[:200]
