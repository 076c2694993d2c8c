import argparse

import keras

from pose_data import PoseData


def parse_args():
    parser = argparse.ArgumentParser(description="Trains the pose network")
    parser.add_argument("--batch_size", type=str, default=10)  # <- cause
    parser.add_argument("--backbone", type=str, default="small")
    parser.add_argument("--max_epochs", type=int, default=5)
    parser.add_argument("--use_bn", type=bool, default=False)
    return parser.parse_args()


def network(side, parts, use_bn):
    pictures = keras.Input((side, side, 3))
    x = keras.layers.Conv2D(8, 3, strides=2, activation="relu")(pictures)
    if use_bn:
        x = keras.layers.BatchNormalization()(x)
    return keras.Model(pictures, keras.layers.Dense(parts * 2)(keras.layers.Flatten()(x)))


if __name__ == "__main__":
    args = parse_args()
    data = PoseData(args.batch_size)
    model = network(16, 5, args.use_bn)
    model.compile("adam", "mse")
    model.fit(data.batches(), epochs=args.max_epochs, verbose=2)
