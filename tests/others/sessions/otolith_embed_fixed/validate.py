import numpy as np
import tensorflow.compat.v1 as tf
import dataset


def load_model(path, sess):
    print('Model: %s' % path.split('/')[-1])
    saver = tf.train.import_meta_graph(path + '.meta')
    saver.restore(sess, path)


def main(path):
    images, labels = dataset.otolith_images(8, 5, seed=77)
    with tf.Graph().as_default():
        with tf.Session() as sess:
            load_model(path, sess)
            graph = tf.get_default_graph()
            images_placeholder = graph.get_tensor_by_name('input:0')
            phase_train_placeholder = graph.get_tensor_by_name('phase_train:0')
            embeddings = graph.get_tensor_by_name('embeddings:0')
            print('embedding size', embeddings.get_shape()[1])

            emb = np.zeros((len(images), embeddings.get_shape().as_list()[1]), np.float32)
            for s in range(0, len(images), 10):
                emb[s:s + 10] = sess.run(embeddings, feed_dict={images_placeholder: images[s:s + 10],
                                                                phase_train_placeholder: False})
    d = np.sum(np.square(emb[:, None] - emb[None]), axis=2)
    same = labels[:, None] == labels[None]
    off = ~np.eye(len(labels), dtype=bool)
    print('mean distance same %.3f different %.3f' % (d[same & off].mean(), d[~same].mean()))
    best = max(((d[off] < t) == same[off]).mean() for t in np.arange(0, 4, .05))
    print('pair accuracy %.3f' % best)
