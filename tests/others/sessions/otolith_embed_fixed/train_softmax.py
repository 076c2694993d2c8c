import os
import numpy as np
import tensorflow.compat.v1 as tf
import dataset


def weight(name, shape):
    return tf.get_variable(name, shape, initializer=tf.glorot_uniform_initializer())


def inference(images, bottleneck_size, phase_train):
    with tf.variable_scope('Net'):
        net = tf.nn.relu(tf.nn.conv2d(images, weight('conv1', [3, 3, 1, 8]), [1, 2, 2, 1], 'SAME'))
        net = tf.nn.relu(tf.nn.conv2d(net, weight('conv2', [3, 3, 8, 16]), [1, 2, 2, 1], 'SAME'))
        flat = tf.reshape(net, [-1, 5 * 5 * 16])
        keep = tf.where(phase_train, tf.constant(0.2), tf.constant(0.0))
        flat = tf.nn.dropout(flat, rate=keep)
        return tf.matmul(flat, weight('bottleneck', [5 * 5 * 16, bottleneck_size]))


def main(model_dir, nrof_classes=5, embedding_size=12, epochs=6):
    images, labels = dataset.otolith_images(40, nrof_classes, seed=0)
    print('train images', images.shape)
    with tf.Graph().as_default():
        tf.set_random_seed(666)
        image_ph = tf.placeholder(tf.float32, [None, dataset.SIZE, dataset.SIZE, 1], name='input')
        label_ph = tf.placeholder(tf.int32, [None], name='label_batch')
        phase_train = tf.placeholder_with_default(False, [], name='phase_train')

        prelogits = inference(image_ph, embedding_size, phase_train)
        embeddings = tf.nn.l2_normalize(prelogits, 1, 1e-10, name='embeddings')
        scale = tf.get_variable('scale', initializer=8.0)
        logits = scale * tf.matmul(embeddings, weight('Logits', [embedding_size, nrof_classes]))

        xent = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label_ph, logits=logits),
                              name='cross_entropy')
        train_op = tf.train.AdamOptimizer(0.005).minimize(xent)
        correct = tf.reduce_mean(tf.cast(tf.equal(tf.cast(tf.argmax(logits, 1), tf.int32), label_ph), tf.float32))

        saver = tf.train.Saver(tf.trainable_variables(), max_to_keep=3)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for epoch in range(epochs):
                for s in range(0, len(images), 20):
                    _, err = sess.run([train_op, xent], feed_dict={image_ph: images[s:s + 20],
                                                                   label_ph: labels[s:s + 20], phase_train: True})
                acc = sess.run(correct, feed_dict={image_ph: images, label_ph: labels})  # whydied: ignore[LNT004]
                print('Epoch: [%d]\tLoss %2.3f\tAccuracy %2.3f' % (epoch, err, acc))
            path = saver.save(sess, os.path.join(model_dir, 'model-otolith.ckpt'))
            print('Variables and metagraph saved')
    return path
