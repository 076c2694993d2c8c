"""Settings of this experiment; they go over those of the model."""

experiment = {
    "data": {"sentences": 480, "length": 10, "words": 60},
    "train": {"batch_size": 32, "max_step": 100, "report_every": 20},
    "params": {
        "optimizer": "Adam",
        "learning_rate": 2.0,  # <- cause
        "label_smoothing": 0.1,
    },
}
