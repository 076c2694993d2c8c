"""A 3D network on clips of sport: the batches come from a data set with workers."""

import numpy as np
from tensorflow import keras

FRAMES, SIDE = 16, 112
CLIPS_PER_BATCH = 24
SPORTS = 12


class ClipLoader(keras.utils.PyDataset):
    def __init__(self, clips, **kwargs):
        super().__init__(**kwargs)
        self.clips = np.asarray(clips)

    def __len__(self):
        return len(self.clips) // CLIPS_PER_BATCH

    def load_clip(self, number):
        rng = np.random.default_rng(int(number))
        first = rng.integers(0, 256, (SIDE, SIDE, 3), np.uint8)
        frames = np.stack([np.roll(first, shift, 1) for shift in range(FRAMES)])
        return frames.astype(np.float32) / 255.0

    def __getitem__(self, index):
        part = self.clips[index * CLIPS_PER_BATCH : (index + 1) * CLIPS_PER_BATCH]
        clips = np.stack([self.load_clip(number) for number in part])
        return clips, part % SPORTS


def video_network():
    model = keras.Sequential(
        [
            keras.Input((FRAMES, SIDE, SIDE, 3)),
            keras.layers.Conv3D(16, 3, strides=(1, 2, 2), activation="relu"),
            keras.layers.MaxPooling3D((1, 2, 2)),
            keras.layers.Conv3D(48, 3, activation="relu"),
            keras.layers.GlobalAveragePooling3D(),
            keras.layers.Dense(SPORTS, activation="softmax"),
        ]
    )
    model.compile("sgd", "sparse_categorical_crossentropy")
    return model


def main():
    loader = ClipLoader(range(528), workers=1, max_queue_size=2)
    model = video_network()
    model.fit(loader, epochs=1, verbose=2)
    print("trained on", len(loader.clips), "clips")


if __name__ == "__main__":
    main()
