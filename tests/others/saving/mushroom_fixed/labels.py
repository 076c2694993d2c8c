import json


def number_species(names):
    """Gives every species a number: {0: "amanita", ...}."""
    return {i: name for i, name in enumerate(sorted(set(names)))}


def save_labels(labels, path):
    with open(path, "w") as f:
        json.dump(labels, f, indent=1)


def load_labels(path):
    with open(path) as f:
        return {int(k): v for k, v in json.load(f).items()}
