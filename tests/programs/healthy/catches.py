"""Meets many exceptions and catches them all."""

import json
import traceback

for text in ("{", "[1, 2]", '{"a": 1}'):
    try:
        print(json.loads(text)["a"])
    except (ValueError, TypeError, KeyError):
        traceback.print_exc()
try:
    raise MemoryError("only pretending")
except MemoryError as error:
    print("caught", error)
