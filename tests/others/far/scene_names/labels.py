import json
import os

SCENES = {0: "beach", 1: "forest", 2: "harbour", 3: "street"}


def write_labels(folder):
    path = os.path.join(folder, "int_to_str_labels.json")
    with open(path, "w") as f:
        json.dump(SCENES, f)
    return path


def fetch_labels(path):
    with open(path) as f:
        return json.load(f)  # <- cause
