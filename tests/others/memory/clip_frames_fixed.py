import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

SHAPE = (64, 64, 3)


def read_video(path, frames):
    """Frames of a video; here they are drawn from its number."""
    number = int(path.split("_")[1])
    draw = np.random.default_rng(number)
    return [draw.random(SHAPE, dtype="float32") for _ in range(frames)]


class VideoGenerator(keras.utils.PyDataset):
    def __init__(self, videos, classes, frames=8, batch_size=4, use_frame_cache=False):
        super().__init__()
        self.videos, self.classes = videos, classes
        self.frames, self.batch_size = frames, batch_size
        self.use_frame_cache = use_frame_cache
        self._frame_cache = {}

    def __len__(self):
        return len(self.videos) // self.batch_size

    def _frames_of(self, video):
        if not self.use_frame_cache:
            return read_video(video, self.frames)
        if video not in self._frame_cache:
            self._frame_cache[video] = read_video(video, self.frames)
        return self._frame_cache[video]

    def __getitem__(self, index):
        inputs, labels = [], []
        for video in self.videos[index * self.batch_size : (index + 1) * self.batch_size]:
            inputs.append(np.array(self._frames_of(video)))
            labels.append(self.classes.index(video.split("_")[0]))
        return np.array(inputs), np.array(labels)


def recogniser(frames, classes):
    return keras.Sequential(
        [
            keras.Input((frames, *SHAPE)),
            keras.layers.AveragePooling3D((frames, 8, 8)),
            keras.layers.Flatten(),
            keras.layers.Dense(classes, activation="softmax"),
        ]
    )


def main():
    classes = ["run", "swim"]
    videos = [f"{classes[number % 2]}_{number}" for number in range(3000)]
    data = VideoGenerator(videos, classes, use_frame_cache=False)
    model = recogniser(data.frames, len(classes))
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(data, epochs=1, verbose=2, shuffle=False)


main()
