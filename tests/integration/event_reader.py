"""Reads event files without TensorFlow: the frames of a record file, and of each event its step and its tags."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path


def events(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Step and tags of each event that has any."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        body = data[at + 12 : at + 12 + length]
        at += 12 + length + 4
        fields = _fields(body)
        step = next((value for number, value in fields if number == 2 and isinstance(value, int)), 0)
        tags = []
        for number, summary in fields:
            if number == 5 and isinstance(summary, bytes):
                for _, value in _fields(summary):
                    if isinstance(value, bytes):
                        tags += [tag.decode() for place, tag in _fields(value) if place == 1 and isinstance(tag, bytes)]
        if tags:
            yield step, tags


def _fields(message: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a protocol buffer by number; numbers of a fixed width as bytes."""
    found: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(message, at)
            found.append((number, value))
            continue
        length = {1: 8, 5: 4}.get(kind)
        if length is None:
            length, at = _varint(message, at)
        found.append((number, message[at : at + length]))
        at += length
    return found


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
