"""Environments and machines made of files, for the doctor to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whydied.doctor import probe
from whydied.doctor.distributions import Distribution, Installed, installed
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check, Machine

PURE = "py3-none-any"
CPUINFO = "model name\t: Some Processor\nflags\t\t: sse sse2 pni ssse3 sse4_1 sse4_2 popcnt cx16 lahf_lm avx avx2 fma\n"


def add_distribution(
    site: Path,
    name: str,
    version: str,
    requires: Sequence[str] = (),
    files: Mapping[str, str | bytes] | None = None,
    tag: str = PURE,
    requires_python: str = ">=3.6",
) -> None:
    """Papers and files, as pip leaves them."""
    papers = site / f"{name.replace('-', '_')}-{version}.dist-info"
    papers.mkdir(parents=True)
    headers = [f"Name: {name}", f"Version: {version}", f"Requires-Python: {requires_python}"]
    headers += [f"Requires-Dist: {text}" for text in requires]
    (papers / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *headers, "", "A description: with colons\n"]))
    (papers / "WHEEL").write_text(f"Wheel-Version: 1.0\nTag: {tag}\n")
    record = []
    for path, content in (files or {}).items():
        target = site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        record.append(f"{path},sha256=,{target.stat().st_size}")
    (papers / "RECORD").write_text("\n".join([*record, f"{papers.name}/RECORD,,\n"]))


class Site:
    """A `site-packages` directory, and the environment that it belongs to."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # That of the Python which `environment` says, whichever runs the tests.
        self.directory = root / "lib" / "python3.11" / "site-packages"
        self.directory.mkdir(parents=True)
        self.variables: dict[str, str] = {"HOME": str(root)}

    def add(self, name: str, version: str, requires: Sequence[str] = (), **fields: Any) -> None:
        add_distribution(self.directory, name, version, requires, **fields)

    def environment(self, **fields: Any) -> Environment:
        told = probe.facts()  # type: ignore[no-untyped-call]
        made = Environment(
            executable=str(self.root / "bin/python"),
            version=(3, 11, 7),
            markers={
                **told["markers"],
                "python_version": "3.11",
                "platform_machine": "x86_64",
                "sys_platform": "linux",
            },
            paths=(self.directory,),
            prefix=self.root,
            glibc="2.36",
            variables=self.variables,
        )
        return made._replace(**fields)

    def installed(self) -> Installed:
        return installed([self.directory])

    def get(self, name: str) -> Distribution:
        found = self.installed().get(name)
        assert found is not None
        return found


def machine(root: Path, files: Mapping[str, str] | None = None, **fields: Any) -> Machine:
    for path, text in (files or {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    given: dict[str, Any] = {"system": "Linux", "architecture": "x86_64", "limits": {}}
    return Machine(**{"runs": root / "runs", "root": root, **given, **fields})


def wrong(checks: Sequence[Check]) -> dict[str, Check]:
    """What is not fine, by name. Every such answer must say what it breaks and how to fix it."""
    found = {check.name: check for check in checks if check.status != "ok"}
    assert all(check.impact and check.fix for check in found.values())
    return found
