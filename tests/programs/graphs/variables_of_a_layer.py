import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf


class Memory(tf.Module):
    def __init__(self):
        self.cells = {}

    def remember(self, step, value):
        self.cells[step] = tf.Variable(value, name=f"cell_{step}")  # <- cause


memory = Memory()
value = tf.zeros((800, 1000))
for step in range(100_000):
    value = value + 1.0
    memory.remember(step, value)
    print("held", (step + 1) * 800 * 1000 * 4, flush=True)
