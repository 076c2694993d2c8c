import os
import tempfile
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
np.random.seed(6)

# denoising of quarry dust images: model pretrained on the west quarry, continue on the east quarry
# (west normally runs on the cluster and only hands over a checkpoint)

WORK = tempfile.mkdtemp(prefix='quarry_')
PRE_DIR = os.path.join(WORK, 'west') + os.sep
OUT_DIR = os.path.join(WORK, 'east') + os.sep
os.makedirs(PRE_DIR)
os.makedirs(OUT_DIR)
ps = 16


def patches(n, noise):
    yy, xx = np.mgrid[0:ps, 0:ps] / float(ps)
    gt = np.zeros((n, ps, ps, 1), np.float32)
    for i in range(n):
        a, b, c = np.random.rand(3)
        gt[i, :, :, 0] = .5 + .4 * np.sin(6 * a * xx + 5 * b * yy + 6 * c)
    return gt + np.random.normal(0, noise, gt.shape).astype(np.float32), gt


def conv(x, n_out, name, act=True):
    n_in = x.get_shape().as_list()[-1]
    with tf.variable_scope(name):
        w = tf.get_variable('weights', [3, 3, n_in, n_out], initializer=tf.glorot_uniform_initializer())
        b = tf.get_variable('biases', [n_out], initializer=tf.zeros_initializer())
    y = tf.nn.conv2d(x, w, [1, 1, 1, 1], 'SAME') + b
    return tf.maximum(0.2 * y, y) if act else y


def network(x):
    c1 = conv(x, 8, 'g_conv1')
    c2 = conv(c1, 8, 'g_conv2')
    return x + conv(c2, 1, 'g_conv3', act=False)


def pretrain_west():
    """stand in for the cluster job"""
    g = tf.Graph()
    with g.as_default():
        tf.set_random_seed(6)
        xi = tf.placeholder(tf.float32, [None, ps, ps, 1])
        xt = tf.placeholder(tf.float32, [None, ps, ps, 1])
        l = tf.reduce_mean(tf.abs(network(xi) - xt))
        op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(l)
        keep = tf.train.Saver(tf.trainable_variables())
        with tf.Session() as s:
            s.run(tf.global_variables_initializer())
            for _ in range(150):
                a, b = patches(16, .15)
                _, lv = s.run([op, l], {xi: a, xt: b})
            keep.save(s, PRE_DIR + 'model.ckpt')
    print('west done, loss %.4f' % lv)


pretrain_west()

# ---------------------------------------------------------------- east
sess = tf.Session()
in_image = tf.placeholder(tf.float32, [None, ps, ps, 1])
gt_image = tf.placeholder(tf.float32, [None, ps, ps, 1])
out_image = network(in_image)

G_loss = tf.reduce_mean(tf.abs(out_image - gt_image))
lr = tf.placeholder(tf.float32)
G_opt = tf.train.AdamOptimizer(learning_rate=lr).minimize(G_loss)

saver = tf.train.Saver()
sess.run(tf.global_variables_initializer())
ckpt = tf.train.get_checkpoint_state(PRE_DIR)
if ckpt:
    print('loaded ' + os.path.basename(ckpt.model_checkpoint_path))
    saver.restore(sess, ckpt.model_checkpoint_path)  # <- cause

learning_rate = 1e-3
g_loss = np.zeros(40)
for epoch in range(1, 4):
    if epoch > 2:
        learning_rate = 1e-4
    for k in range(40):
        input_patch, gt_patch = patches(16, .25)
        _, G_current = sess.run([G_opt, G_loss],
                                feed_dict={in_image: input_patch, gt_image: gt_patch, lr: learning_rate})
        g_loss[k] = G_current
    print('epoch %d loss %.4f (first %.4f)' % (epoch, g_loss.mean(), g_loss[0]))
    saver.save(sess, OUT_DIR + 'model.ckpt')

print(sorted(f for f in os.listdir(OUT_DIR) if f.endswith('.index')))
sess.close()
