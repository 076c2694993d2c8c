"""A reading thread dies of a bad line; the main thread sees that it is gone, and starts another from the next line."""

import queue
import threading

LINES = ["1", "2", "x", "4", "", "6"]
found = queue.Queue()
state = {"next": 0, "died": 0}


def read():
    while state["next"] < len(LINES):
        line = LINES[state["next"]]
        state["next"] += 1
        try:
            found.put(int(line))
        except ValueError:
            state["died"] += 1
            return


while state["next"] < len(LINES):
    reader = threading.Thread(target=read)
    reader.start()
    reader.join()
print("numbers", found.qsize(), "started again", state["died"])
