"""Kernelspecs: makes one that supervises, beside the user's own or in the place of one, and takes it away again.

Runs in the command line. A spec of ours says so in its metadata. One that stands in for another keeps that one's file
beside its own, so that it can be put back byte for byte.

Invariant: a spec that is not ours is never changed without its original being kept, and never removed; a file
is replaced whole or not at all.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import whydied
from whydied.errors import UsageError
from whydied.places import replace_whole

NAME = "whydied"
SUFFIX = " (whydied)"
KEPT = "kernel.json.before-whydied"
MODULE = "whydied.jupyter.kernel"
_FILE = "kernel.json"
_MARK = "whydied"
_CONNECTION = "{connection_file}"
_NAMES = re.compile(r"[A-Za-z0-9._-]+")
_LOGO = re.compile(r"logo-.*\.(?:png|svg)")

Kind = Literal["beside", "instead"]


class Spec(NamedTuple):
    """A spec of ours. `wraps` is the name of the one that it starts."""

    name: str
    directory: Path
    kind: Kind
    display_name: str
    wraps: str
    python: str

    @property
    def works(self) -> bool:
        """Whether its interpreter is still there."""
        return os.access(self.python, os.X_OK)


class Base(NamedTuple):
    """The spec to start from: what its file says, and where it is; no directory for one that only code describes."""

    name: str
    words: dict[str, Any]
    directory: Path | None
    resources: Path | None


def install(
    *,
    name: str = NAME,
    base: str = "python3",
    env: Mapping[str, str] | None = None,
    options: tuple[str, ...] = (),
    prefix: str | None = None,
    suffix: str = SUFFIX,
) -> Spec:
    """Make a spec beside the others: for this user, or below a prefix. One of ours of that name is made anew."""
    _check_name(name)
    found = _of_this_python(_base(base))
    target = _kernels(prefix) / name
    there = _ours(target)
    if target.exists() and (there is None or there.kind == "instead"):
        raise UsageError(
            f"{target} is not a whydied kernelspec", f"choose another --name, or wrap it with --replace {name}"
        )
    words = _supervising(found, env or {}, options, display_name=str(found.words["display_name"]) + suffix)
    try:
        target.mkdir(parents=True, exist_ok=True)
        _copy_logos(found.resources, target)
        _write(target / _FILE, words)
    except OSError as error:
        raise _refused(target, error) from error
    return _read(target, name)


def replace(
    name: str, *, env: Mapping[str, str] | None = None, options: tuple[str, ...] = (), suffix: str = SUFFIX
) -> Spec:
    """Make the spec of a name supervise. Its own file stays beside."""
    found = _base(name)
    if found.directory is None:
        return install(name=name, base=name, env=env, options=options, suffix=suffix)
    if _ours(found.directory) is not None and not (found.directory / KEPT).exists():
        raise UsageError(f"{name} is a whydied kernelspec that replaces nothing", "name the spec to wrap")
    words = _supervising(found, env or {}, options, display_name=str(found.words["display_name"]) + suffix)
    words["metadata"][_MARK]["kind"] = "instead"
    try:
        _keep(found.directory)
        _write(found.directory / _FILE, words)
    except OSError as error:
        raise _refused(found.directory, error) from error
    return _read(found.directory, name)


def replace_all(*, env: Mapping[str, str] | None = None, options: tuple[str, ...] = ()) -> list[Spec]:
    """Make every Python kernel that Jupyter finds supervise, under the name and in the place that it has. Where its
    file may not be changed, one of the same name in the user's own directory stands in for it."""
    from jupyter_client.kernelspec import KernelSpecManager

    made: list[Spec] = []
    for name in sorted(KernelSpecManager().find_kernel_specs()):
        there = _base(name)
        shadow = there.directory is not None and not os.access(there.directory, os.W_OK)
        if str(there.words.get("language", "")).lower() != "python" or _stands_beside(there.directory):
            continue
        words = {"env": env, "options": options, "suffix": ""}
        made.append(install(name=name, base=name, **words) if shadow else replace(name, **words))  # type: ignore[arg-type]
        if _ours(_base(name).directory or made[-1].directory) is None:
            raise UsageError(
                f"Jupyter finds {there.directory} before {made[-1].directory}", "run this as who may change the first"
            )
    return made


def _stands_beside(directory: Path | None) -> bool:
    there = _ours(directory) if directory is not None else None
    return there is not None and there.kind == "beside"


def uninstall(spec: Spec) -> str:
    """Take a spec of ours away, or put back what it stands for; a sentence about what was done."""
    kept = spec.directory / KEPT
    try:
        if kept.exists():
            os.replace(kept, spec.directory / _FILE)
            return f"restored {spec.name}: {spec.directory}"
        shutil.rmtree(spec.directory)
        return f"removed {spec.name}: {spec.directory}"
    except OSError as error:
        raise _refused(spec.directory, error) from error


def ours(prefix: str | None = None) -> list[Spec]:
    """Every spec of ours that Jupyter would find, and those that others of the same name hide; or those below a
    prefix."""
    found: dict[Path, Spec] = {}
    for place in [_kernels(prefix)] if prefix else _places():
        with contextlib.suppress(OSError):
            for directory in sorted(place.iterdir()):
                if (spec := _ours(directory)) is not None:
                    found.setdefault(directory.resolve(), spec)
    return list(found.values())


def _supervising(base: Base, env: Mapping[str, str], options: tuple[str, ...], *, display_name: str) -> dict[str, Any]:
    """The words of a spec that starts the supervisor, and all else as the base has it."""
    metadata = {
        **dict(base.words.get("metadata") or {}),
        _MARK: {"version": whydied.__version__, "kind": "beside", "wraps": base.name},
    }
    words = {
        **base.words,
        "argv": [sys.executable, "-m", MODULE, *options, "-f", _CONNECTION, *_behind(base)],
        "display_name": display_name,
        "metadata": metadata,
    }
    joined = {**dict(base.words.get("env") or {}), **env}
    if joined:
        words["env"] = joined
    return words


def _behind(base: Base) -> list[str]:
    """What stands behind our own words: nothing for an ipykernel of this interpreter, else the base's whole command."""
    argv = [str(word) for word in base.words.get("argv") or ()]
    plain = ["-m", "ipykernel_launcher", "-f", _CONNECTION]
    if argv[1:] == plain and (_is_this_python(argv[0])):
        return []
    return ["--", *argv]


def _is_this_python(word: str) -> bool:
    bare = re.fullmatch(r"python(?:\d+(?:\.\d+)?)?", word) is not None
    return bare or os.path.abspath(word) == os.path.abspath(sys.executable)


def _base(name: str) -> Base:
    """A spec by name, with the words of its own file where ours stands in for it."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    manager = KernelSpecManager()
    try:
        spec = manager.get_kernel_spec(name)
    except NoSuchKernel:
        there = ", ".join(sorted(manager.find_kernel_specs())) or "none"
        hint = "install ipykernel into this environment" if name == "python3" else f"available: {there}"
        raise UsageError(f"no kernelspec named {name}", hint) from None
    resources = Path(spec.resource_dir)
    file = resources / (KEPT if (resources / KEPT).exists() and _ours(resources) is not None else _FILE)
    try:
        words = json.loads(file.read_text("utf-8"))
        return Base(name, {"display_name": name, **words}, resources, resources)
    except (OSError, ValueError):
        # Described by ipykernel's code alone: there is no file to keep.
        return Base(name, {key: value for key, value in spec.to_dict().items() if value}, None, resources)


def _of_this_python(base: Base) -> Base:
    """The base, or what ipykernel itself says where the base belongs to another environment."""
    argv = base.words.get("argv") or [""]
    if base.name != "python3" or _is_this_python(str(argv[0])):
        return base
    from ipykernel.kernelspec import RESOURCES, get_kernel_dict

    return Base(base.name, dict(get_kernel_dict()), None, Path(RESOURCES))


def _keep(directory: Path) -> None:
    """Put the original aside, the very same file where the file system can give it a second name."""
    if _ours(directory) is not None:
        return
    kept = directory / KEPT
    with contextlib.suppress(FileNotFoundError):
        kept.unlink()
    try:
        os.link(directory / _FILE, kept)
    except OSError:
        shutil.copy2(directory / _FILE, kept)


def _write(path: Path, words: Mapping[str, Any]) -> None:
    replace_whole(path, f"{json.dumps(words, indent=1)}\n".encode(), 0o644)


def _copy_logos(resources: Path | None, target: Path) -> None:
    for file in resources.iterdir() if resources else ():
        if _LOGO.fullmatch(file.name) and not (target / file.name).exists():
            shutil.copyfile(file, target / file.name)


def _ours(directory: Path) -> Spec | None:
    try:
        words = json.loads((directory / _FILE).read_text("utf-8"))
        mark = words["metadata"][_MARK]
        return Spec(
            name=directory.name,
            directory=directory,
            kind="instead" if mark.get("kind") == "instead" else "beside",
            display_name=str(words.get("display_name", directory.name)),
            wraps=str(mark.get("wraps", "")),
            python=str(words["argv"][0]),
        )
    except (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        return None


def _read(directory: Path, name: str) -> Spec:
    spec = _ours(directory)
    assert spec is not None, name
    return spec


def _kernels(prefix: str | None) -> Path:
    from jupyter_core.paths import jupyter_data_dir

    data = Path(jupyter_data_dir()) if prefix is None else Path(prefix) / "share" / "jupyter"
    return data / "kernels"


def _places() -> list[Path]:
    from jupyter_client.kernelspec import KernelSpecManager

    return [Path(place) for place in KernelSpecManager().kernel_dirs]


def _check_name(name: str) -> None:
    if not _NAMES.fullmatch(name):
        raise UsageError(f"{name!r} is not a valid kernelspec name", "use letters, digits, '.', '_' and '-'")


def _refused(directory: Path, error: OSError) -> UsageError:
    return UsageError(
        f"{directory} cannot be written: {error.strerror or error}",
        "`whydied kernel install` creates one in your home directory instead",
    )
