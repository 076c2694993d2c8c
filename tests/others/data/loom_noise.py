import numpy as np
import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE
SR = 2000
CLASSES = ['ok', 'loose_belt', 'dry_bearing']


class LoomRecordings:
    """synthetic microphone clips of the weaving loom (1 s each)"""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        t = np.arange(SR) / SR
        self.clips = []
        self.targets = []
        for i in range(n):
            c = i % len(CLASSES)
            base = np.sin(2 * np.pi * 50 * t)
            if c == 1:
                base += 0.8 * np.sin(2 * np.pi * 120 * t + rng.uniform(0, 6))
            if c == 2:
                base += 0.8 * np.sin(2 * np.pi * 610 * t + rng.uniform(0, 6))
            base += rng.normal(0, .3, SR)
            self.clips.append(base.astype('float32'))
            self.targets.append(c)
        self.clips = np.stack(self.clips)
        self.targets = np.array(self.targets, dtype='int32')


def band_energy(clip):
    """20 log band energies of one clip"""
    wave = clip.numpy()
    spec = np.abs(np.fft.rfft(wave * np.hanning(len(wave)))) ** 2
    bands = np.array_split(spec, 20)
    feats = np.log(np.array([b.mean() for b in bands]) + 1e-6)
    return feats.astype('float32')


def to_features(clip, target):
    return band_energy(clip), target  # <- cause


def build(data, batch, shuffle=False):
    ds = tf.data.Dataset.from_tensor_slices((data.clips, data.targets))
    if shuffle:
        ds = ds.shuffle(len(data.targets), seed=0)
    ds = ds.map(to_features, num_parallel_calls=AUTOTUNE)
    return ds.batch(batch).prefetch(AUTOTUNE)


train_raw, test_raw = LoomRecordings(240, 0), LoomRecordings(60, 1)
print(train_raw.clips.shape, np.bincount(train_raw.targets))

# quick look that the features make sense
for clip, target in tf.data.Dataset.from_tensor_slices((train_raw.clips, train_raw.targets)).take(3):
    f = band_energy(clip)
    print(CLASSES[int(target)], f.shape, 'max band', int(np.argmax(f)))

train_ds = build(train_raw, 24, shuffle=True)
test_ds = build(test_raw, 20)

tf.keras.utils.set_random_seed(4)
net = tf.keras.Sequential([
    tf.keras.layers.Dense(32, activation='relu'),
    tf.keras.layers.Dense(len(CLASSES)),
])
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
opt = tf.keras.optimizers.Adam(0.01)

for epoch in range(6):
    seen = []
    for feats, target in train_ds:
        with tf.GradientTape() as tape:
            value = loss_fn(target, net(feats, training=True))
        grads = tape.gradient(value, net.trainable_variables)
        opt.apply_gradients(zip(grads, net.trainable_variables))
        seen.append(float(value))
    print('epoch', epoch, 'loss %.4f' % np.mean(seen))

hits = 0
for feats, target in test_ds:
    hits += int(np.sum(np.argmax(net(feats).numpy(), axis=1) == target.numpy()))
print('test accuracy', hits / len(test_raw.targets))
