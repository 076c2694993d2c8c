import os
import resource

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Scorer:
    def __init__(self, graph):
        self.session = tf.Session(graph=graph)  # <- cause
        self.session.run("init")

    def score(self):
        return self.session.run("total:0")


graph = tf.Graph()
with graph.as_default():
    weights = tf.Variable(tf.ones((2000, 1500)))
    tf.reduce_sum(weights, name="total")
    tf.global_variables_initializer().name
    tf.group(weights.initializer, name="init")

scorers = {}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for item in range(10_000):
    scorers[item] = Scorer(graph)
    scorers[item].score()
    print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)
