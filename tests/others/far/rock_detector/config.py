class Config:
    """Settings that all runs share; a run overrides what differs."""

    NAME = None
    NUM_CLASSES = 81  # <- cause
    WIDTH = 24
    LEARNING_RATE = 0.001
    BATCH_SIZE = 16


class RockConfig(Config):
    NAME = "rocks"
    NUM_CLASSES = 1 + 4


class InferenceConfig(Config):  # <- cause
    NAME = "rocks"
    BATCH_SIZE = 1
