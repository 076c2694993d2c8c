import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

STATES = 2000
ACTIONS = 800


class Critic:
    def __init__(self, sess):
        self.sess = sess
        self.state = tf.placeholder(tf.float32, [None, 4])
        w1 = tf.get_variable('w1', [4, 32])
        w2 = tf.get_variable('w2', [32, ACTIONS])
        self.q = tf.matmul(tf.nn.tanh(tf.matmul(self.state, w1)), w2)
        self.target = tf.placeholder(tf.float32, [None, ACTIONS])
        self.loss = tf.reduce_mean(tf.square(self.q - self.target))
        self.optimize = tf.train.AdamOptimizer(0.002).minimize(self.loss)


def train(sess, critic, rounds):
    rng = np.random.RandomState(11)
    states = rng.normal(size=(STATES, 4)).astype(np.float32)
    baseline = rng.normal(0, 0.1, (STATES, ACTIONS)).astype(np.float32)
    rewards = np.cos(states[:, :1]) * np.linspace(0, 1, ACTIONS)[None, :]
    advantage_op = critic.q - baseline
    for i in range(rounds):
        advantage = sess.run(advantage_op, feed_dict={critic.state: states})
        target = 0.9 * rewards + 0.1 * advantage
        loss, _ = sess.run([critic.loss, critic.optimize],
                           feed_dict={critic.state: states, critic.target: target})
        if i % 10 == 0:
            print('round %d loss %.4f' % (i, loss), flush=True)


def main():
    with tf.Session() as sess:
        critic = Critic(sess)
        sess.run(tf.global_variables_initializer())
        train(sess, critic, rounds=40)


if __name__ == '__main__':
    main()
