class Config:
    batch_size = 20
    n_pixels = 64
    n_side = 8
    n_classes = 4
    n_epochs = 3
    learning_rate = 0.01
