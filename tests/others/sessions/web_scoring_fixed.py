"""A service that keeps several scoring models loaded and answers requests for each of them."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def export(folder, name, inputs, seed):
    """What the training would have left: a checkpoint with its graph."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(seed)
        x = tf.placeholder(tf.float32, [None, inputs], name="features")
        w = tf.get_variable("w", [inputs, 1])
        tf.sigmoid(tf.matmul(x, w), name="score")
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, os.path.join(folder, name))


class LoadedModel:
    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.saver = tf.train.import_meta_graph(path + ".meta")
            self.x = self.graph.get_tensor_by_name("features:0")
            self.score = self.graph.get_tensor_by_name("score:0")
        self.session = tf.Session(graph=self.graph)
        with self.graph.as_default():
            self.saver.restore(self.session, path)

    def predict(self, rows):
        return self.session.run(self.score, feed_dict={self.x: rows})[:, 0]


class Calibrator:
    """Puts scores on the scale that the clients know."""

    def __init__(self, steepness):
        self.raw = tf.placeholder(tf.float32, [None], name="raw")
        self.points = 300.0 + 550.0 * tf.sigmoid(steepness * (self.raw - 0.5))
        self.session = tf.Session()

    def apply(self, scores):
        return self.session.run(self.points, feed_dict={self.raw: scores})


class Service:
    def __init__(self, paths):
        self.calibrator = Calibrator(steepness=4.0)
        self.models = {name: LoadedModel(path) for name, path in paths.items()}

    def answer(self, request):
        rows = np.asarray(request["rows"], dtype="float32")
        scores = self.models[request["model"]].predict(rows)
        return {"model": request["model"], "points": self.calibrator.apply(scores).tolist()}


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths = {"churn": export(folder, "churn", 3, seed=1), "credit": export(folder, "credit", 5, seed=2)}
        service = Service(paths)
        print(service.answer({"model": "churn", "rows": [[0.1, 0.2, 0.3]]}))
        print(service.answer({"model": "credit", "rows": [[1, 0, 1, 0, 1]]}))


if __name__ == "__main__":
    main()
