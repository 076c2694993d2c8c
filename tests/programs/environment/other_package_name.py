"""A module whose package has another name, imported where it is first needed."""

import sys

# Also where it is installed.
sys.modules["cv2"] = None


def read(path):
    import cv2  # <- cause

    return cv2.imread(path)


print(read("cat.png"))
