import numpy as np
from tensorflow.keras.layers import Concatenate, Dense
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import Adagrad

np.random.seed(21)

n = 80
climate = np.random.rand(n, 2)      # warmth, moisture
light = np.random.rand(n, 1)
growth = (0.5 * climate[:, :1] + 0.2 * climate[:, 1:] + 0.3 * light > 0.5).astype("float32")

first = Sequential()
first.add(Dense(1, input_shape=(2,), activation="sigmoid"))

second = Sequential()
second.add(Dense(1, input_shape=(1,), activation="sigmoid"))

result = Sequential()  # <- cause
merged = Concatenate([first, second])  # <- cause
result.add(merged)  # <- cause
result.add(Dense(1, activation="sigmoid"))  # <- cause

ada_grad = Adagrad(learning_rate=0.1, epsilon=1e-8)
result.compile(optimizer=ada_grad, loss="binary_crossentropy", metrics=["accuracy"])

result.fit([climate, light], growth, epochs=3, batch_size=16, verbose=2)
print(result.predict([climate[:3], light[:3]], verbose=0).ravel())
