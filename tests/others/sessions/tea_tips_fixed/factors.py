import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class TeaFactors:
    def __init__(self, n_guests, n_teas, embed_size=8, n_epochs=3, lr=0.05):
        self.n_guests = n_guests
        self.n_teas = n_teas
        self.embed_size = embed_size
        self.n_epochs = n_epochs
        self.lr = lr
        self.sess = None

    def _build(self):
        self.guest = tf.placeholder(tf.int32, [None])
        self.tea = tf.placeholder(tf.int32, [None])
        self.stars = tf.placeholder(tf.float32, [None])

        bu = tf.get_variable("bu_var", [self.n_guests], initializer=tf.zeros_initializer())
        bi = tf.get_variable("bi_var", [self.n_teas], initializer=tf.zeros_initializer())
        pu = tf.get_variable("pu_var", [self.n_guests, self.embed_size],
                             initializer=tf.random_normal_initializer(stddev=0.05))
        qi = tf.get_variable("qi_var", [self.n_teas, self.embed_size],
                             initializer=tf.random_normal_initializer(stddev=0.05))

        dot = tf.reduce_sum(tf.gather(pu, self.guest) * tf.gather(qi, self.tea), axis=1)
        self.pred = 3.0 + tf.gather(bu, self.guest) + tf.gather(bi, self.tea) + dot
        self.loss = tf.reduce_mean(tf.square(self.pred - self.stars))
        self.train_op = tf.train.AdamOptimizer(self.lr).minimize(self.loss)

    def fit(self, guest, tea, stars, batch=64):
        self._build()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
        for epoch in range(self.n_epochs):
            order = np.random.permutation(len(guest))
            for at in range(0, len(order), batch):
                b = order[at:at + batch]
                self.sess.run(self.train_op, {
                    self.guest: guest[b], self.tea: tea[b], self.stars: stars[b]})
        return self

    def rmse(self, guest, tea, stars):
        mse = self.sess.run(self.loss, {self.guest: guest, self.tea: tea, self.stars: stars})
        return float(np.sqrt(mse))
