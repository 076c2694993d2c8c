"""
sentence decoder for the harbour cam (image feature -> short sentence)
ported from an old repo
"""
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

words = ['<pad>', '<bos>', 'a', 'boat', 'crane', 'leaves', 'arrives', 'slowly', 'now', 'two', 'boats', 'is', 'idle']
word2ix = {w: i for i, w in enumerate(words)}
sentences = [
    'a boat leaves now', 'a boat arrives slowly', 'two boats arrives now', 'a crane is idle',
    'two boats leaves slowly', 'a boat is idle',
]


def make_corpus(n, feat_dim, max_len):
    rng = np.random.RandomState(0)
    proto = rng.normal(size=(len(sentences), feat_dim))
    feats, caps, masks = [], [], []
    for _ in range(n):
        k = rng.randint(len(sentences))
        ids = [word2ix['<bos>']] + [word2ix[w] for w in sentences[k].split()]
        m = [1.] * len(ids)
        ids += [0] * (max_len - len(ids))
        m += [0.] * (max_len - len(m))
        feats.append(proto[k] + rng.normal(scale=.1, size=feat_dim))
        caps.append(ids)
        masks.append(m)
    return np.array(feats, 'float32'), np.array(caps, 'int32'), np.array(masks, 'float32')


class CaptionModel(object):
    def __init__(self, dim_feat, dim_embed, dim_hidden, batch_size, n_steps, n_words):
        self.dim_feat = dim_feat
        self.dim_embed = dim_embed
        self.dim_hidden = dim_hidden
        self.batch_size = batch_size
        self.n_steps = n_steps
        self.n_words = n_words

        self.Wemb = tf.Variable(tf.random_uniform([n_words, dim_embed], -0.1, 0.1), name='Wemb')
        self.encode_W = tf.Variable(tf.random_uniform([dim_feat, dim_hidden], -0.1, 0.1), name='encode_W')
        self.encode_b = tf.Variable(tf.zeros([dim_hidden]), name='encode_b')
        self.rec_W = tf.Variable(tf.random_uniform([dim_embed + dim_hidden, dim_hidden], -0.1, 0.1), name='rec_W')
        self.rec_b = tf.Variable(tf.zeros([dim_hidden]), name='rec_b')
        self.word_W = tf.Variable(tf.random_uniform([dim_hidden, n_words], -0.1, 0.1), name='word_W')
        self.word_b = tf.Variable(tf.zeros([n_words]), name='word_b')

    def build_model(self):
        image = tf.placeholder(tf.float32, [self.batch_size, self.dim_feat])
        sentence = tf.placeholder(tf.int32, [self.batch_size, self.n_steps])
        mask = tf.placeholder(tf.float32, [self.batch_size, self.n_steps])

        state = tf.nn.tanh(tf.matmul(image, self.encode_W) + self.encode_b)
        loss = 0.0
        for i in range(1, self.n_steps):
            current_emb = tf.nn.embedding_lookup(self.Wemb, sentence[:, i - 1])
            state = tf.nn.tanh(tf.matmul(tf.concat([current_emb, state], 1), self.rec_W) + self.rec_b)

            labels = tf.expand_dims(sentence[:, i], 1)
            indices = tf.expand_dims(tf.range(0, self.batch_size, 1), 1)
            concated = tf.concat(1, [indices, labels])  # <- cause
            onehot_labels = tf.sparse_to_dense(concated, tf.stack([self.batch_size, self.n_words]), 1.0, 0.0)

            logit_words = tf.matmul(state, self.word_W) + self.word_b
            cross_entropy = tf.nn.softmax_cross_entropy_with_logits(labels=onehot_labels, logits=logit_words)
            cross_entropy = cross_entropy * mask[:, i]
            loss += tf.reduce_sum(cross_entropy)

        loss = loss / tf.reduce_sum(mask[:, 1:])
        return loss, image, sentence, mask


dim_feat = 32
n_steps = 6
batch_size = 16
n_epochs = 10

feats, caps, masks = make_corpus(160, dim_feat, n_steps)
print('corpus', feats.shape, caps.shape, masks.shape)

model = CaptionModel(dim_feat, 24, 48, batch_size, n_steps, len(words))
tf_loss, tf_image, tf_sentence, tf_mask = model.build_model()
train_op = tf.train.AdamOptimizer(0.01).minimize(tf_loss)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
for epoch in range(n_epochs):
    order = np.random.permutation(len(feats))
    tot = []
    for start in range(0, len(feats), batch_size):
        b = order[start:start + batch_size]
        _, loss_value = sess.run([train_op, tf_loss], feed_dict={
            tf_image: feats[b],
            tf_sentence: caps[b],
            tf_mask: masks[b],
        })
        tot.append(loss_value)
    print('epoch', epoch, 'loss', np.mean(tot))
sess.close()
