import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
from config import InferenceConfig, RockConfig
from model import Detector


def train(path):
    draw = np.random.default_rng(1)
    config = RockConfig()
    x = draw.normal(size=(64, config.WIDTH)).astype("float32")
    detector = Detector("training", config)
    boxes = draw.random((64, config.NUM_CLASSES * 4)).astype("float32")
    detector.train(x, draw.integers(0, config.NUM_CLASSES, 64), boxes, epochs=1)
    detector.keras_model.save_weights(path)


def main():
    with tempfile.TemporaryDirectory() as logs:
        path = os.path.join(logs, "rocks.weights.h5")
        train(path)
        config = InferenceConfig()
        detector = Detector("inference", config)
        detector.load_weights(path)
        print(detector.detect(np.zeros((2, config.WIDTH), "float32")))


main()
