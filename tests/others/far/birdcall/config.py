import os
import tempfile


class Config:
    NAME = "base"
    SPECIES = ["wren", "robin", "finch", "crow", "owl"]
    BINS = 40
    EPOCHS = 12
    BATCH = 16
    WEIGHTS = os.path.join(tempfile.gettempdir(), "birdcall_%d.weights.h5" % os.getpid())

    @property
    def num_classes(self):
        return len(self.SPECIES) + 1


class TrainConfig(Config):
    NAME = "train"


class ListenConfig(Config):
    NAME = "listen"
    BATCH = 1

    @property
    def num_classes(self):
        return len(self.SPECIES)  # <- cause
