import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

HEIGHT, WIDTH = 24, 32
content_weight = 0.05
style_weight = 2.0


def load_image(seed):
    rng = np.random.RandomState(seed)
    base = np.outer(np.linspace(0, 1, HEIGHT), np.linspace(1, 0, WIDTH))
    img = base[..., None] + rng.uniform(0, 0.5, (HEIGHT, WIDTH, 3))
    return img[None].astype(np.float32)


def features(image, filters):
    return tf.nn.relu(tf.nn.conv2d(image, filters, strides=[1, 1, 1, 1], padding='SAME'))


def gram_matrix(x):
    flat = tf.reshape(x, [-1, 6])
    return tf.matmul(flat, flat, transpose_a=True) / (HEIGHT * WIDTH)


sess = tf.Session()
filters = tf.Variable(tf.random_normal([3, 3, 3, 6], stddev=0.3, seed=8), trainable=False, name='filters')
sess.run(tf.global_variables_initializer())

content_im = tf.constant(load_image(1))
style_im = tf.constant(load_image(2))
combination_im = tf.Variable(np.random.RandomState(0).rand(1, HEIGHT, WIDTH, 3).astype(np.float32), name='mix')

loss = tf.Variable(0., name='penalty')
total = loss + content_weight * tf.reduce_sum(
    tf.square(features(combination_im, filters) - features(content_im, filters)))
total = total + style_weight * tf.reduce_sum(
    tf.square(gram_matrix(features(combination_im, filters)) - gram_matrix(features(style_im, filters))))

init_new_vars_op = tf.initializers.variables([loss, combination_im])
sess.run(init_new_vars_op)

grads = tf.gradients(total, combination_im)[0]
step = combination_im.assign_sub(0.01 * grads)

for i in range(5):
    value, _ = sess.run([total, step])
    print('Pass', i + 1, 'loss', value)
