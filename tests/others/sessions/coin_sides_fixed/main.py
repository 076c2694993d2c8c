import os

import tensorflow.compat.v1 as tf

import data
import model

tf.disable_v2_behavior()

N_CLASSES = 2
BATCH_SIZE = 20
MAX_EPOCH = 3
LEARNING_RATE = 0.002
LOG_DIR = 'logs/'


def run_training():
    images, labels = data.load_coins()

    x = tf.placeholder(tf.float32, [None, 16, 16, 1])
    y_ = tf.placeholder(tf.int64, [None])

    logits = model.inference(x, N_CLASSES)
    loss = model.losses(logits, y_)
    train_op = model.training(loss, LEARNING_RATE)
    acc = model.evaluation(logits, y_)

    os.makedirs(LOG_DIR, exist_ok=True)
    saver = tf.train.Saver()
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())

    step = 0
    for epoch in range(MAX_EPOCH):
        for bx, by in data.batches(images, labels, BATCH_SIZE):
            _, train_loss, train_acc = sess.run([train_op, loss, acc], feed_dict={x: bx, y_: by})
            if step % 10 == 0:
                print('step', step, 'loss %.3f' % train_loss, 'acc %.2f' % train_acc)
            step += 1
    saver.save(sess, os.path.join(LOG_DIR, 'model.ckpt'), global_step=step)
    sess.close()


if __name__ == '__main__':
    run_training()
