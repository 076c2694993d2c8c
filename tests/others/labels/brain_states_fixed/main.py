import numpy as np

from netlib import DenseNet

np.random.seed(0)

n_channels = 16
n_states = 4


def record(n):
    state = np.random.randint(0, n_states, size=(n, 1))
    wave = np.random.randn(n, n_channels) + state * np.linspace(-1, 1, n_channels)
    return np.hstack([wave, state])


train = record(640)
test = record(256)

X_train = train[:, :n_channels].astype(np.float32)
X_test = test[:, :n_channels].astype(np.float32)
train_marks = np.squeeze(train[:, n_channels:].astype(np.int32))
test_marks = np.squeeze(test[:, n_channels:].astype(np.int32))

print(X_train.shape, train_marks.shape, X_test.shape, test_marks.shape)

model = DenseNet(n_channels, n_states, batch_size=64, num_epochs=5)
losses = model.fit(X_train, train_marks, X_test, test_marks)
print('last loss', losses[-1])
