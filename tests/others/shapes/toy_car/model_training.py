"""Trains the steering network with the drives in training_data."""
import os
import tempfile

import numpy as np

from model import NeuralNetwork, load_data

WIDTH, HEIGHT = 80, 60


def record_drives(folder, drives=3, frames=60):
    rng = np.random.default_rng(6)
    for drive in range(drives):
        commands = rng.integers(0, 4, frames)
        pictures = rng.integers(0, 80, (frames, HEIGHT, WIDTH)).astype("float32")
        for i, command in enumerate(commands):
            pictures[i, HEIGHT // 2:, command * 20:command * 20 + 20] += 150
        np.savez(os.path.join(folder, f"{drive}.npz"), train=pictures.reshape(frames, -1),
                 train_labels=np.eye(4, dtype="float32")[commands])


folder = tempfile.mkdtemp()
record_drives(folder)

input_size = 80 * 30  # <- cause
data_path = os.path.join(folder, "*.npz")

X_train, X_valid, y_train, y_valid = load_data(input_size, data_path)

layer_sizes = [input_size, 32, 4]
nn = NeuralNetwork()
nn.create(layer_sizes)
nn.train(X_train, y_train)
print("validation accuracy: {:.2f}".format(nn.evaluate(X_valid, y_valid)))
