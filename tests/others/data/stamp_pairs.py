import numpy as np
import tensorflow as tf
from tf_keras import backend as K
from tf_keras.layers import Conv2D, Dense, Flatten, Input, Lambda, MaxPooling2D
from tf_keras.models import Model


class PairMaker:
    def __init__(self, groups=5, each=8, side=20, batch_size=6, seed=2):
        self.rng = np.random.default_rng(seed)
        self.batch_size = batch_size
        bases = self.rng.random((groups, 1, side, side, 3))
        noise = self.rng.normal(0, 0.05, (groups, each, side, side, 3))
        self.stamps = (bases + noise).astype("float32")

    def one_pair(self, same):
        g, h = self.rng.choice(len(self.stamps), 2, replace=False)
        if same:
            h = g
        i, j = self.rng.integers(0, self.stamps.shape[1], 2)
        return self.stamps[g, i], self.stamps[h, j]

    def generate(self):
        while True:
            first, second, labels = [], [], []
            for k in range(self.batch_size):
                a, b = self.one_pair(same=k % 2 == 0)
                first.append(a)
                second.append(b)
                labels.append(1.0 if k % 2 == 0 else 0.0)
            data = np.array([first, second])  # <- cause
            yield data, np.array(labels, dtype="float32")  # <- cause


def base_network(shape):
    inp = Input(shape=shape)
    x = Conv2D(8, 3, activation="relu")(inp)
    x = MaxPooling2D()(x)
    x = Flatten()(x)
    x = Dense(16)(x)
    return Model(inp, x)


def distance(vects):
    x, y = vects
    return K.sqrt(K.maximum(K.sum(K.square(x - y), axis=1, keepdims=True), K.epsilon()))


def contrastive(y_true, y_pred):
    y_true = tf.reshape(y_true, (-1, 1))
    return K.mean(y_true * K.square(y_pred) + (1 - y_true) * K.square(K.maximum(1 - y_pred, 0)))


input_shape = (20, 20, 3)
net = base_network(input_shape)
left = Input(shape=input_shape)
right = Input(shape=input_shape)
gap = Lambda(distance)([net(left), net(right)])
model = Model([left, right], gap)
model.compile(loss=contrastive, optimizer="rmsprop")

maker = PairMaker()
data, labels = next(maker.generate())
print(len(data), labels.shape)
model.fit(maker.generate(), steps_per_epoch=5, epochs=2, verbose=2)
