import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Client:
    def __init__(self):
        self.state = tf.placeholder(tf.float32, (None, 2))
        self.w1 = tf.Variable(tf.zeros((2, 1000)))
        self.w2 = tf.Variable(tf.zeros((1000, 1000)))
        self.w3 = tf.Variable(tf.zeros((1000, 4)))
        hidden = tf.nn.relu(tf.matmul(tf.nn.relu(tf.matmul(self.state, self.w1)), self.w2))
        self.values = tf.matmul(hidden, self.w3)
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())

    def receive(self, w1, w2, w3):
        self.session.run(self.w1.assign(w1))
        self.session.run(self.w2.assign(w2))  # <- cause
        self.session.run(self.w3.assign(w3))

    def act(self, state):
        return self.session.run(self.values, {self.state: state}).argmax(1)


client = Client()
rng = np.random.default_rng(4)
for update in range(300):
    client.receive(rng.normal(size=(2, 1000)), rng.normal(size=(1000, 1000)), rng.normal(size=(1000, 4)))
    client.act(rng.normal(size=(8, 2)))
print("done")
