import os
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

rng = np.random.RandomState(1)
x_data = rng.rand(60, 2).astype(np.float32)
y_data = np.eye(3, dtype=np.float32)[(x_data[:, 0] * 3).astype(int)]
os.makedirs('model', exist_ok=True)

# cell 1: net and training
global_step = tf.Variable(0, trainable=False, name='global_step')
X = tf.placeholder(tf.float32)
Y = tf.placeholder(tf.float32)
W1 = tf.Variable(tf.random_uniform([2, 10], -1., 1., seed=1))
L1 = tf.nn.relu(tf.matmul(X, W1))
W2 = tf.Variable(tf.random_uniform([10, 3], -1., 1., seed=2))
model = tf.matmul(L1, W2)
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=Y, logits=model))
train_op = tf.train.AdamOptimizer(0.01).minimize(cost, global_step=global_step)

sess = tf.Session()
saver = tf.train.Saver(tf.global_variables())
sess.run(tf.global_variables_initializer())
for step in range(20):
    sess.run(train_op, feed_dict={X: x_data, Y: y_data})
print('Step:', sess.run(global_step), 'Cost: %.3f' % sess.run(cost, feed_dict={X: x_data, Y: y_data}))
saver.save(sess, './model/dnn.ckpt', global_step=global_step)
sess.close()

# cell 2: take the saved net and go on
tf.reset_default_graph()
global_step = tf.Variable(0, trainable=False, name='global_step')
X = tf.placeholder(tf.float32)
Y = tf.placeholder(tf.float32)
W1 = tf.Variable(tf.random_uniform([2, 10], -1., 1., seed=1))
L1 = tf.nn.relu(tf.matmul(X, W1))
W2 = tf.Variable(tf.random_uniform([10, 3], -1., 1., seed=2))
model = tf.matmul(L1, W2)
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=Y, logits=model))
train_op = tf.train.AdamOptimizer(0.01).minimize(cost, global_step=global_step)

sess = tf.Session()
saver = tf.train.Saver(tf.global_variables())
ckpt = tf.train.get_checkpoint_state('./model')
if ckpt and tf.train.checkpoint_exists(ckpt.model_checkpoint_path):
    saver.restore(sess, ckpt.model_checkpoint_path)
else:
    sess.run(tf.global_variables_initializer())
for step in range(20):
    sess.run(train_op, feed_dict={X: x_data, Y: y_data})
print('Step:', sess.run(global_step), 'Cost: %.3f' % sess.run(cost, feed_dict={X: x_data, Y: y_data}))
sess.close()
