import numpy as np
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Dense, Dropout, LSTM

WINDOW = 20
BATCH = 32


def make_series(n=700):
    t = np.arange(n)
    base = np.sin(t / 9.0) + 0.4 * np.sin(t / 31.0)
    noise = np.random.RandomState(3).normal(0, 0.15, size=n)
    return base, base + noise


def windows(clean, noisy, size):
    xs, ys = [], []
    for start in range(len(noisy) - size):
        xs.append(noisy[start:start + size])
        ys.append(clean[start + size])
    xs = np.array(xs, dtype="float32").reshape(-1, size, 1)
    return xs, np.array(ys, dtype="float32")


def build_model():
    model = Sequential()
    model.add(Dense(5, input_shape=(1,)))  # <- cause
    model.add(Dense(10))
    model.add(LSTM(32))
    model.add(Dropout(0.3))
    model.add(Dense(5))
    model.add(Dense(1))
    model.compile(loss="mean_squared_error", optimizer="adam")
    return model


clean, noisy = make_series()
trainX, trainY = windows(clean, noisy, WINDOW)
print("training windows", trainX.shape, trainY.shape)

model = build_model()
model.summary()
history = model.fit(trainX, trainY, epochs=2, batch_size=BATCH, verbose=2)

recon = model.predict(trainX[:10], verbose=0)
for a, b in zip(recon[:, 0], trainY[:10]):
    print("%.3f  %.3f" % (a, b))
