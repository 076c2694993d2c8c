import numpy as np
from tf_keras import backend as K
from tf_keras.callbacks import EarlyStopping
from tf_keras.layers import Dense
from tf_keras.models import Sequential
from tf_keras.optimizers import SGD

np.random.seed(17)

# loan applications: five figures, default yes/no
n = 240
x_all = np.random.normal(size=(n, 5)).astype("float32")
y_all = (x_all[:, 0] - 0.7 * x_all[:, 3] > 0).astype("float32").reshape(-1, 1)
x_train, y_train = x_all[:200], y_all[:200]
x_test, y_test = x_all[200:], y_all[200:]


def cost_of_decisions(y_true, y_pred):
    decision = y_pred
    missed = y_true * (1.0 - decision)
    refused = (1.0 - y_true) * decision
    return K.mean(1.5 * missed + refused, axis=-1)


model = Sequential()
model.add(Dense(12, activation="relu", input_shape=(5,)))
model.add(Dense(6, activation="relu"))
model.add(Dense(1, activation="sigmoid"))

sgd = SGD(learning_rate=0.05, momentum=0.9)
model.compile(loss=cost_of_decisions, optimizer=sgd, metrics=["accuracy"])

early_stopping = EarlyStopping(monitor="loss", patience=5)
history = model.fit(x_train, y_train, epochs=8, batch_size=20, shuffle=True,
                    verbose=2, callbacks=[early_stopping])

score = model.evaluate(x_test, y_test, verbose=0)
print("test:", score)
