"""An engine that loads a detector of traffic signs by its folder."""

import os
import tempfile

import tensorflow as tf


class Detector(tf.Module):
    def __init__(self):
        super().__init__()
        self.scale = tf.Variable(0.5)

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    def detect(self, boxes):
        return {"scores": tf.sigmoid(tf.reduce_sum(boxes * self.scale, axis=1))}


class Engine:
    def __init__(self, root, name):
        self.model = None
        self.load_local(os.path.join(root, name, "saved_model"))

    def load_local(self, folder):
        model = tf.saved_model.load(folder)
        self.model = model.signatures["serving_default"]

    def run(self, boxes):
        return self.model(boxes=tf.constant(boxes, tf.float32))["scores"].numpy()


def publish(root, name):
    detector = Detector()
    folder = os.path.join(root, name, "saved_model")
    tf.saved_model.save(detector, folder, signatures={"serving_default": detector.detect})
    return folder


def main():
    with tempfile.TemporaryDirectory() as root:
        publish(root, "ssd_signs")
        engine = Engine(root, "ssd_signs")
        print(engine.run([[0.1, 0.2, 0.3, 0.4]]))


main()
