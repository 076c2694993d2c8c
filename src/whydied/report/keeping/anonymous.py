"""Replaces what names a person or a machine in recorded values. Pure but for `Anonymiser.of`, which asks
the system.

Fields whose words are part of the vocabulary (a code, a kind, an outcome) are kept, so that a user named
"machine" does not turn a recording into another one.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from whydied import redact
from whydied.diagnose.finding import Finding
from whydied.records import DataLooked, TextFileSeen, TextsHeld

# fmt: off
_VOCABULARY = frozenset(
    (
        "code", "kind", "certainty", "outcome", "verdict", "signal_name", "schema", "answers",
        "because_of", "limit_kind", "type", "module", "dtype", "state", "moment", "scope",
        "channel", "start", "unit", "how", "link", "where", "whydied_version", "python", "action",
        "call", "id", "supervisor", "from_", "boot_id", "run_id", "thread", "docs", "copy",
    )
)
# Names that half of all machines share tell nothing, and are words of ordinary text.
_NOBODY = frozenset(
    (
        "root", "user", "users", "admin", "ubuntu", "debian", "runner", "jovyan", "vscode",
        "docker", "nobody", "app", "home", "localhost",
    )
)
# fmt: on
_HOMES = re.compile(r"(?P<base>/home/|/Users/|/export/home/)(?P<name>[^/\s\"':,;<>()]+)")

_OF_DATA: dict[type, tuple[str, ...]] = {
    TextsHeld: ("example",),
    TextFileSeen: ("first_line",),
    DataLooked: ("classes",),
}
"""Samples of the user's data, which are nobody else's."""

T = TypeVar("T")


class Anonymiser:
    def __init__(self, *, homes: Iterable[str], users: Iterable[str], hosts: Iterable[str]) -> None:
        roots = sorted({home.rstrip("/") for home in homes if len(home.rstrip("/")) > 1}, key=len, reverse=True)
        self._homes = _any(roots, r"(?![\w.-])")
        self._users = _any(_telling(users), r"(?![A-Za-z0-9])", r"(?<![A-Za-z0-9])")
        self._hosts = _any(_telling(hosts), r"(?![A-Za-z0-9])", r"(?<![A-Za-z0-9])")

    @classmethod
    def of(cls, run: Path, hostname: str) -> Anonymiser:
        """For a run of this machine: its owner, whoever exports it, and both machines' names."""
        homes = [os.environ.get("HOME", "")]
        users = [os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")]
        for uid in {os.getuid(), run.stat().st_uid}:
            with contextlib.suppress(KeyError):
                entry = pwd.getpwuid(uid)
                homes.append(entry.pw_dir)
                users.append(entry.pw_name)
        homes += [os.path.realpath(home) for home in homes if home]
        hosts = [name for host in (hostname, socket.gethostname()) for name in (host, host.split(".")[0])]
        return cls(homes=homes, users=users, hosts=hosts)

    def text(self, words: str) -> str:
        return self.names(redact.text(words))

    def code(self, code: bytes) -> bytes:
        """A program, line by line the same."""
        return self.names(redact.source(code).decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def names(self, words: str) -> str:
        """A text whose secrets are replaced already, without the names of persons and machines."""
        clean = self._homes.sub("<home>", words) if self._homes else words
        clean = _HOMES.sub(r"\g<base><user>", clean)
        clean = self._hosts.sub("<host>", clean) if self._hosts else clean
        return self._users.sub("<user>", clean) if self._users else clean

    def file_name(self, words: str) -> str:
        return re.sub(r"[<>]", "", self.text(words))

    def value(self, value: T) -> T:
        """The same value with every text of it made anonymous."""
        clean: T = self._walk(value)
        return clean

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, msgspec.Struct):
            fields = {name: self._field(name, getattr(value, name)) for name in value.__struct_fields__}
            if isinstance(value, Finding):
                fields["name"] = value.name
            for name in _OF_DATA.get(type(value), ()):
                fields[name] = type(getattr(value, name))()
            return type(value)(**fields)
        if isinstance(value, dict):
            return {self._walk(key): self._walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._walk(item) for item in value]
        return value

    def _field(self, name: str, value: Any) -> Any:
        if isinstance(value, str) and name in _VOCABULARY:
            return value
        if name == "argv":
            return [self.text(argument) for argument in redact.arguments(value)]
        return self._walk(value)


def _telling(names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if len(name) > 1 and name.lower() not in _NOBODY}, key=len, reverse=True)


def _any(words: list[str], after: str, before: str = "") -> re.Pattern[str] | None:
    if not words:
        return None
    return re.compile(f"{before}(?:{'|'.join(re.escape(word) for word in words)}){after}")
