# moss cover regression from multispectral patches, own training loop
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

np.random.seed(8)
tf.random.set_seed(8)

def load_patches(n=160):
    cover = np.random.rand(n, 1).astype('float32')
    x = np.random.normal(0, .2, (n, 16, 16, 4)).astype('float32')
    x[..., 1] += cover[:, :, None]            # green
    x[..., 3] += .5 * cover[:, :, None]       # nir
    return x, cover

x, y = load_patches()
x_tr, y_tr, x_va, y_va = x[:128], y[:128], x[128:], y[128:]
train_ds = tf.data.Dataset.from_tensor_slices((x_tr, y_tr)).shuffle(128).batch(32)


class ResBlock(tf.keras.Model):
    def __init__(self, filters, stride=1, **kw):
        super().__init__(**kw)
        self.c1 = layers.Conv2D(filters, 3, strides=stride, padding='same', use_bias=False)
        self.b1 = layers.BatchNormalization(momentum=0.7)
        self.c2 = layers.Conv2D(filters, 3, padding='same', use_bias=False)
        self.b2 = layers.BatchNormalization(momentum=0.7)
        self.short = layers.Conv2D(filters, 1, strides=stride)

    def call(self, t, training=False):
        h = tf.nn.relu(self.b1(self.c1(t), training=training))
        h = self.b2(self.c2(h), training=training)
        return tf.nn.relu(h + self.short(t))


class MossNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.stem = layers.Conv2D(8, 3, padding='same')
        self.r1 = ResBlock(8, name='r1')
        self.r2 = ResBlock(16, 2, name='r2')
        self.pool = layers.GlobalAveragePooling2D()
        self.head = layers.Dense(1)

    def call(self, t, training=False):
        t = self.stem(t)
        t = self.r1(t, training=training)
        t = self.r2(t, training=training)
        return self.head(self.pool(t))


model = MossNet()
optimizer = tf.keras.optimizers.Adam(0.005)

def compute_loss(pred, label):
    return tf.reduce_mean(tf.square(pred - label))

def train_one(xb, yb):
    with tf.GradientTape() as tape:
        prediction = model(xb, training=True)
        loss = compute_loss(prediction, yb)
    grads = tape.gradient(loss, model.variables)  # <- cause
    optimizer.apply_gradients(zip(grads, model.variables))  # <- cause
    return loss, grads

for epoch in range(8):
    losses = []
    for xb, yb in train_ds:
        loss, grads = train_one(xb, yb)
        losses.append(float(loss))
    print('epoch', epoch, 'loss', round(float(np.mean(losses)), 5),
          'grads', len(grads), 'of them None:', sum(g is None for g in grads))

# what does the gradient look like in the last step
for i, g in enumerate(grads):
    print(i, None if g is None else (tuple(g.shape), float(tf.norm(g))))

print('val loss', float(compute_loss(model(x_va, training=False), y_va)))
