"""Autoencoder of letters, which come from a queue."""

import string

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def letter_batches(letters, batch_size):
    """Letters in their order, from a queue that a runner fills."""
    letter = tf.train.slice_input_producer([letters], shuffle=False, capacity=4)[0]
    queue = tf.PaddingFIFOQueue(26, tf.float32, [[26]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(letter)])
    return queue.dequeue_many(batch_size), runner


def encoder(batch):
    w1 = tf.get_variable("w1", [26, 8])
    w2 = tf.get_variable("w2", [8, 26])
    code = tf.tanh(tf.matmul(batch, w1))
    return tf.reduce_mean(tf.square(tf.matmul(code, w2) - batch))


def run_training(steps):
    with tf.Graph().as_default():
        tf.set_random_seed(0)
        letters = tf.constant(np.eye(26, dtype="float32"))
        batch, runner = letter_batches(letters, 13)
        loss = encoder(batch)
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = runner.create_threads(sess, coord=coord, daemon=True, start=True)
            threads += tf.train.start_queue_runners(sess=sess, coord=coord)
            print("letters:", string.ascii_lowercase, flush=True)
            for step in range(steps):
                value, _ = sess.run([loss, train])
                if step % 50 == 0:
                    print("step", step, "loss", value, flush=True)
            coord.request_stop()
            sess.run(runner.queue.close(cancel_pending_enqueues=True))
            coord.join(threads, stop_grace_period_secs=2, ignore_live_threads=True)


run_training(200)
print("finished")
