import tensorflow as tf


class Block(tf.keras.layers.Layer):
    def __init__(self, depth):
        super().__init__()
        self.query = tf.keras.layers.Dense(depth, use_bias=False)
        self.wide = tf.keras.layers.Dense(2 * depth, activation="relu")
        self.narrow = tf.keras.layers.Dense(depth)

    def call(self, x):
        weights = tf.nn.softmax(tf.matmul(self.query(x), x, transpose_b=True) / 6.0)
        x = x + tf.matmul(weights, x)
        return x + self.narrow(self.wide(x))


class SmallTransformer(tf.keras.Model):
    def __init__(self, words, length, depth=32, blocks=4):
        super().__init__()
        self.words = words
        self.embed = tf.keras.layers.Embedding(words, depth)
        self.place = tf.keras.layers.Embedding(length, depth)
        self.blocks = [Block(depth) for _ in range(blocks)]
        self.scores = tf.keras.layers.Dense(words)

    def auto_config(self):
        return {"optimizer": "Adam", "learning_rate": 2.5e-4, "label_smoothing": 0.0}

    def call(self, ids):
        x = self.embed(ids) + self.place(tf.range(tf.shape(ids)[1]))
        for block in self.blocks:
            x = block(x)
        return self.scores(x)

    def smoothed_loss(self, targets, scores, smoothing):
        hot = tf.one_hot(targets, self.words)
        hot = hot * (1.0 - smoothing) + smoothing / self.words
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(hot, scores))
