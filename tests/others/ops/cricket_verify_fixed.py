# who is chirping?  GE2E style similarity of cricket song embeddings
import sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


class Config(object):
    N = 5          # crickets per batch
    M = 4          # songs per cricket
    frames = 30
    bins = 12
    hidden = 32
    proj = 16
    lr = 0.05
    iteration = 120


config = Config()
rng = np.random.RandomState(21)
crickets = rng.normal(size=(20, config.bins)).astype(np.float32)


def random_batch(N, M, ids=None):
    ids = rng.choice(15, N, replace=False) if ids is None else ids
    songs = []
    for c in ids:
        for _ in range(M):
            chirp = np.abs(np.sin(np.arange(config.frames) * rng.uniform(.4, .8)))[:, None]
            songs.append(chirp * crickets[c] + rng.normal(0, .5, (config.frames, config.bins)))
    return np.array(songs, np.float32)


def normalize(x):
    return x / tf.sqrt(tf.reduce_sum(x ** 2, axis=-1, keepdims=True) + 1e-6)


def cossim(x, y, normalized=True):
    if normalized:
        return tf.reduce_sum(x * y)
    return tf.reduce_sum(normalize(x) * normalize(y))


def similarity(embedded, w, b, N=config.N, M=config.M, P=config.proj, center=None):
    """embedded [N*M, P] -> similarity matrix [N*M, N]"""
    embedded_split = tf.reshape(embedded, shape=[N, M, P])
    if center is None:
        center = normalize(tf.reduce_mean(embedded_split, axis=1))
        center_except = normalize(tf.reshape(tf.reduce_sum(embedded_split, axis=1, keepdims=True)
                                             - embedded_split, shape=[N * M, P]))
        S = tf.concat(
            [tf.concat([tf.reduce_sum(center_except[i * M:(i + 1) * M, :] * embedded_split[j, :, :], axis=1,
                                      keepdims=True) if i == j
                        else tf.reduce_sum(center[i:(i + 1), :] * embedded_split[j, :, :], axis=1, keepdims=True)
                        for i in range(N)], axis=1)
             for j in range(N)], axis=0)
    else:
        S = tf.matmul(tf.reshape(embedded_split, [N * M, P]), center, transpose_b=True)
    S = tf.abs(w) * S + b
    return S


def loss_cal(S, N=config.N, M=config.M):
    S_correct = tf.concat([S[i * M:(i + 1) * M, i:(i + 1)] for i in range(N)], axis=0)
    total = -tf.reduce_sum(S_correct - tf.log(tf.reduce_sum(tf.exp(S), axis=1, keepdims=True) + 1e-6))
    return total


def embed(batch, reuse=False):
    with tf.variable_scope('song', reuse=reuse):
        w1 = tf.get_variable('w1', [config.bins, config.hidden], initializer=tf.glorot_uniform_initializer())
        b1 = tf.get_variable('b1', [config.hidden], initializer=tf.zeros_initializer())
        w2 = tf.get_variable('w2', [config.hidden, config.proj], initializer=tf.glorot_uniform_initializer())
        h = tf.nn.relu(tf.tensordot(batch, w1, axes=1) + b1)
        return normalize(tf.matmul(tf.reduce_mean(h, axis=1), w2))


# ---- training graph
songs = tf.placeholder(tf.float32, [config.N * config.M, config.frames, config.bins])
w = tf.get_variable("w", initializer=np.array([10], dtype=np.float32))
b = tf.get_variable("b", initializer=np.array([-5], dtype=np.float32))
sim_matrix = similarity(embed(songs), w, b)
loss = loss_cal(sim_matrix)
train_op = tf.train.AdamOptimizer(config.lr).minimize(loss)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
for it in range(config.iteration):
    _, l = sess.run([train_op, loss], feed_dict={songs: random_batch(config.N, config.M)})
    if it % 40 == 0:
        print('(iter : %d) loss: %.4f' % (it, l))

# ---- verification of five crickets that were never seen
new_ids = [15, 16, 17, 18, 19]
enroll = tf.placeholder(tf.float32, [config.N * config.M, config.frames, config.bins])
verif = tf.placeholder(tf.float32, [config.N * config.M, config.frames, config.bins])
enroll_embed = normalize(tf.reduce_mean(tf.reshape(embed(enroll, True), [config.N, config.M, -1]), axis=1))
verif_embed = embed(verif, True)

similarity_matrix = similarity(embedded=verif_embed, w=1.0, b=0.0, N=config.N, M=config.M, P=config.proj,
                               center=enroll_embed)

S = sess.run(similarity_matrix, feed_dict={enroll: random_batch(config.N, config.M, new_ids),
                                           verif: random_batch(config.N, config.M, new_ids)})
S = S.reshape([config.N, config.M, -1])
print(np.round(S[:, 0, :], 2))
for thres in [0.01 * i + 0.5 for i in range(0, 50, 10)]:
    hit = S > thres
    FAR = sum(np.sum(hit[i]) - np.sum(hit[i, :, i]) for i in range(config.N)) / (config.N - 1) / config.M / config.N
    FRR = sum(config.M - np.sum(hit[i, :, i]) for i in range(config.N)) / config.M / config.N
    print('thres %.2f  FAR %.2f  FRR %.2f' % (thres, FAR, FRR))
sess.close()
