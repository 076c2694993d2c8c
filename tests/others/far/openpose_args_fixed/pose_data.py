import numpy as np


def load_frames(n, height, width, n_joints, seed=13):
    rng = np.random.default_rng(seed)
    frames = rng.random((n, height, width, 3)).astype("float32")
    joints = rng.random((n, n_joints * 2)).astype("float32")
    return frames, joints


class FrameReader:
    def __init__(self, frames, joints, batch_size):
        self.frames = frames
        self.joints = joints
        self.batch_size = batch_size

    def steps(self):
        return len(self.frames) // self.batch_size

    def batches(self):
        for step in range(self.steps()):
            lo = step * self.batch_size
            yield self.frames[lo:lo + self.batch_size], self.joints[lo:lo + self.batch_size]
