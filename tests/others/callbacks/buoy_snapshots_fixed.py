import argparse
import os
import sys

import numpy as np
from tensorflow import keras


def make_sequence(n, seed):
    rng = np.random.RandomState(seed)
    centre = rng.uniform(0.2, 0.8, (n, 2)).astype('float32')
    axis = np.linspace(0, 1, 16, dtype='float32')
    gx = np.exp(-((axis[None, :] - centre[:, :1]) ** 2) / 0.01)
    gy = np.exp(-((axis[None, :] - centre[:, 1:]) ** 2) / 0.01)
    return (gy[:, :, None] * gx[:, None, :])[..., None], centre


def create_model():
    inp = keras.Input((16, 16, 1))
    x = keras.layers.Conv2D(8, 3, activation='relu')(inp)
    x = keras.layers.Flatten()(x)
    out = keras.layers.Dense(2)(x)
    return keras.Model(inp, out)


def create_callbacks(args):
    os.makedirs(args.snapshot_path, exist_ok=True)
    checkpoint = keras.callbacks.ModelCheckpoint(
        os.path.join(args.snapshot_path, 'buoy_{epoch:02d}_{loss:.4f}.keras'),
        verbose=1)
    return [checkpoint]


def parse_args(args):
    parser = argparse.ArgumentParser(description='train the buoy finder')
    parser.add_argument('--batch-size', type=int, default=16)
    parser.add_argument('--epochs', type=int, default=2)
    parser.add_argument('--snapshot-path', default='checkpoints')
    parser.add_argument('--val', action='store_true', help='use a validation set')
    return parser.parse_args(args)


def main(args=None):
    args = parse_args(sys.argv[1:] if args is None else args)
    keras.utils.set_random_seed(4)
    x, y = make_sequence(160, 0)
    validation = make_sequence(40, 1) if args.val else None
    model = create_model()
    model.compile(optimizer='adam', loss='mse')
    model.fit(x, y, batch_size=args.batch_size, epochs=args.epochs, verbose=2,
              callbacks=create_callbacks(args), validation_data=validation)


if __name__ == '__main__':
    main()
