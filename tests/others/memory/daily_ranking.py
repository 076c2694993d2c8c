import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
SHARES, MINUTES = 2500, 1500
draw = np.random.default_rng(11)


def prices(day):
    return draw.normal(day, 3.0, (MINUTES, SHARES)).astype("float32")


picked = np.zeros(SHARES, int)
for day in range(60):
    sess = tf.Session()
    table = tf.constant(prices(day))  # <- cause
    rise = table[-1] - table[0]
    best = tf.math.top_k(rise, k=5)
    _, rows = sess.run(best)
    picked[rows] += 1
    sess.close()
    print("day", day, "best", rows, flush=True)
print("most often", picked.argmax())
