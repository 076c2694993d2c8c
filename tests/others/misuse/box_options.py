"""Trains a detector of boxes; options as in the README."""

import argparse
import sys

import keras
import numpy as np


def parse_args(args):
    parser = argparse.ArgumentParser(description="Simple training script for a detector.")
    parser.add_argument("--backbone", help="Backbone model.", default="small", type=str)
    parser.add_argument("--batch-size=5", help="Size of the batches.", default=1, type=int)  # <- cause
    parser.add_argument("--epochs", help="Number of epochs to train.", type=int, default=2)
    parser.add_argument("--random-transform", help="Randomly transform boxes.", action="store_true")
    return parser.parse_args(args)


class Boxes(keras.utils.PyDataset):
    def __init__(self, batch_size, transform, count=40):
        super().__init__()
        self.batch_size = batch_size
        self.transform = transform
        self.pictures = np.random.default_rng(0).random((count, 12)).astype("float32")

    def __len__(self):
        return len(self.pictures) // self.batch_size

    def __getitem__(self, index):
        part = self.pictures[index * self.batch_size : (index + 1) * self.batch_size]
        return part, part[:, :4]


def create_generator(args):
    common_args = {
        "batch_size": args.batch_size,
        "transform": args.random_transform,
    }
    return Boxes(**common_args)


def main(args=None):
    args = parse_args(sys.argv[1:] if args is None else args)
    train_generator = create_generator(args)
    model = keras.Sequential([keras.Input((12,)), keras.layers.Dense(4)])
    model.compile("adam", "mae")
    model.fit(train_generator, epochs=args.epochs, verbose=2)


if __name__ == "__main__":
    main()
