import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

p = tf.Variable([.4])
q = tf.Variable([.4])
r = tf.Variable([.4])
s = tf.Variable([.4])

t = tf.placeholder(tf.float32)
h = tf.placeholder(tf.float32)

curve = (p * t + q) * (r * t + s)

t_train = [1, 2, 3, 4, 5]
h_train = [10, 21, 38, 61, 90]

loss = tf.reduce_sum(tf.square(curve - h))
optimizer = tf.train.GradientDescentOptimizer(0.00005)
train = optimizer.minimize(loss)

init = tf.global_variables_initializer()
sess = tf.Session()
sess.run(init)
for i in range(1000):
    sess.run(train, {t: t_train, h: h_train})

print(sess.run([p, q, r, s]))
print("height at 6:", sess.run(curve, {t: [6]}))
