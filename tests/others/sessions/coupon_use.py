import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
np.random.seed(4)

N_SHOPPERS, N_COUPONS, DIM = 30, 20, 4


class CouponModel:
    def __init__(self):
        self.shopper = tf.placeholder(tf.int32, [None], name="shopper")
        self.coupon = tf.placeholder(tf.int32, [None], name="coupon")
        self.used = tf.placeholder(tf.float32, [None], name="used")

        self.p = tf.Variable(tf.random_normal([N_SHOPPERS, DIM], stddev=0.1), name="p")
        self.q = tf.Variable(tf.random_normal([N_COUPONS, DIM], stddev=0.1), name="q")
        self.bias = tf.Variable(tf.zeros([N_COUPONS]), name="bias")

        rows = tf.nn.embedding_lookup(self.p, self.shopper)
        cols = tf.nn.embedding_lookup(self.q, self.coupon)
        shift = tf.nn.embedding_lookup(self.bias, self.coupon)
        self.score = tf.reduce_sum(rows * cols, axis=1) + shift
        self.loss = tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=self.used, logits=self.score))

    def get_variables_list(self):
        return [self.p, self.q, self.bias]


model = CouponModel()
global_step = tf.Variable(0, trainable=False, name="global_step")
optimizer = tf.train.AdamOptimizer(0.05)
train_op = optimizer.minimize(model.loss, global_step=global_step)

model_variables = model.get_variables_list()
optimizer_slots = [
    optimizer.get_slot(var, name)
    for name in optimizer.get_slot_names()
    for var in model_variables
]
init_op = tf.variables_initializer(model_variables + optimizer_slots + [global_step])  # <- cause

shopper = np.random.randint(0, N_SHOPPERS, 400)
coupon = np.random.randint(0, N_COUPONS, 400)
used = ((shopper + coupon) % 3 == 0).astype(np.float32)

with tf.Session() as sess:
    sess.run(init_op)
    for step in range(20):
        pick = np.random.randint(0, 400, 64)
        _, loss = sess.run([train_op, model.loss], feed_dict={
            model.shopper: shopper[pick],
            model.coupon: coupon[pick],
            model.used: used[pick],
        })
    print("steps", sess.run(global_step), "loss", loss)
