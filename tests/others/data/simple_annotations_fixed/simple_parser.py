"""Reads a list of boxes: path,x1,y1,x2,y2,class on each line."""
import os

import numpy as np
from PIL import Image, UnidentifiedImageError


def read_picture(path):
    try:
        return np.asarray(Image.open(path).convert("RGB"))
    except (FileNotFoundError, UnidentifiedImageError):
        return None


def get_data(input_path):
    folder = os.path.dirname(input_path)
    all_imgs = {}
    classes_count = {}
    class_mapping = {}
    with open(input_path) as f:
        print("Parsing annotation files")
        for line in f:
            filename, x1, y1, x2, y2, class_name = line.strip().split(",")
            classes_count[class_name] = classes_count.get(class_name, 0) + 1
            if class_name not in class_mapping:
                class_mapping[class_name] = len(class_mapping)
            if filename not in all_imgs:
                img = read_picture(os.path.join(folder, filename))
                rows, cols = img.shape[:2]
                all_imgs[filename] = {"filepath": os.path.join(folder, filename), "width": cols, "height": rows,
                                      "bboxes": []}
            all_imgs[filename]["bboxes"].append(
                {"class": class_name, "x1": int(x1), "x2": int(x2), "y1": int(y1), "y2": int(y2)})
    return list(all_imgs.values()), classes_count, class_mapping
