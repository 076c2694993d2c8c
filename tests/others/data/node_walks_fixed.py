import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf


class Numbering:
    """Nodes of the walks by how often they are met; 0 is kept for padding."""

    def __init__(self, walks):
        nodes, counts = np.unique(np.concatenate(walks), return_counts=True)
        order = nodes[np.argsort(-counts)]
        self.word2id = {str(node): number for number, node in enumerate(order, start=1)}
        self.id2word = {number: node for node, number in self.word2id.items()}


class SkipGram:
    def __init__(self, numbering, width=8, shown=4, seed=0):
        self.id2word = numbering.id2word
        draw = np.random.default_rng(seed)
        self.size = len(self.id2word) + 1
        self.display_examples = np.arange(1, self.size)[:shown]
        self.vectors = tf.Variable(draw.normal(0, 0.1, (self.size, width)).astype("float32"))
        self.optimizer = tf.keras.optimizers.Adam(0.01)

    def step(self, centre, context):
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.gather(self.vectors, centre), self.vectors, transpose_b=True)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=context, logits=logits))
        self.optimizer.apply_gradients([(tape.gradient(loss, self.vectors), self.vectors)])
        return float(loss)

    def train(self, pairs, steps=3):
        for step in range(steps):
            print(step, round(self.step(pairs[:, 0], pairs[:, 1]), 3))
        for w in self.display_examples:
            print(f"{self.id2word[int(w)]}: id={w}")


draw = np.random.default_rng(15)
walks = [draw.integers(100, 130, 12) for _ in range(40)]
numbering = Numbering(walks)
pairs = [
    (numbering.word2id[str(one)], numbering.word2id[str(two)]) for walk in walks for one, two in zip(walk, walk[1:])
]
SkipGram(numbering).train(np.array(pairs))
