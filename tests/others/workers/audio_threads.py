"""Predicts the next sample of a sound; threads fill a queue."""

import threading

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(0)

WINDOW = 64


class AudioReader:
    """Threads that cut audio into windows and put them into a queue."""

    def __init__(self, coord, queue_size=32):
        self.coord = coord
        t = np.arange(WINDOW)
        self.sounds = np.sin(t[None] * np.linspace(0.05, 0.4, 200)[:, None])
        self.threads = []
        self.sample = tf.placeholder(tf.float32, [WINDOW])
        self.queue = tf.FIFOQueue(queue_size, [tf.float32], shapes=[[WINDOW]])
        self.enqueue = self.queue.enqueue([self.sample])

    def dequeue(self, count):
        return self.queue.dequeue_many(count)

    def thread_main(self, sess, seed):
        rng = np.random.default_rng(seed)
        while not self.coord.should_stop():
            sess.run(self.enqueue, {self.sample: self.sounds[rng.integers(200)]})

    def start_threads(self, sess, count=3):
        for seed in range(count):
            thread = threading.Thread(target=self.thread_main, args=(sess, seed), daemon=True)
            thread.start()
            self.threads.append(thread)
        return self.threads


def predict_next(windows):
    kernel = tf.get_variable("kernel", [WINDOW - 1, 2048])
    middle = tf.get_variable("middle", [2048, 1024])
    out = tf.get_variable("out", [1024, 1])
    hidden = tf.tanh(tf.matmul(tf.tanh(tf.matmul(windows[:, :-1], kernel)), middle))
    guess = tf.matmul(hidden, out)
    return tf.reduce_mean(tf.square(guess[:, 0] - windows[:, -1]))


def main():
    coord = tf.train.Coordinator()
    reader = AudioReader(coord)
    loss = predict_next(reader.dequeue(4))
    train = tf.train.AdamOptimizer(0.0005).minimize(loss)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    threads = reader.start_threads(sess)
    try:
        for step in range(150):
            value, _ = sess.run([loss, train])
            if step % 50 == 0:
                print("step", step, "loss", value, flush=True)
    finally:
        coord.request_stop()  # <- cause
        coord.join(threads, stop_grace_period_secs=10)
    print("stopped")


main()
