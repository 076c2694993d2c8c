import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(42)

km = [6, 12, 18, 24, 30, 36, 42, 48]  # <- cause
fare = [3, 6, 9, 12, 15, 18, 21, 24]

slope = tf.Variable(tf.random_normal([1]))
offset = tf.Variable(tf.random_normal([1]))

guess = km * slope + offset

cost = tf.reduce_mean(tf.square(guess - fare))

train = tf.train.GradientDescentOptimizer(0.01).minimize(cost)  # <- cause

start = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(start)
    for i in range(600):
        _, c, s, o = sess.run([train, cost, slope, offset])
        if i % 20 == 0:
            print(i, c, s, o)
