"""An attribute is set under one name and read under another."""


class Trainer:
    def __init__(self):
        self.batch_size = 32

    def steps(self, rows):
        return rows // self.batchsize  # <- cause


print(Trainer().steps(1000))
