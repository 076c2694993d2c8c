# Changing the parameters of the optimization, as the exercise asks for it
import keras
import numpy as np

rng = np.random.default_rng(0)
x_train = rng.normal(size=(150, 2)).astype("float32")
y_train = (x_train.sum(axis=1) > 0).astype("float32")


def create_model():
    return keras.Sequential(
        [keras.Input((2,)), keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(1, activation="sigmoid")]
    )


# which optimizers and rates are compared
optimizers = {"SGD": keras.optimizers.SGD, "Adam": keras.optimizers.Adam}
learningrates = [1, 0.1, 0.01]  # <- cause

results = {}
for name, optimizer in optimizers.items():
    for lr in learningrates:
        model = create_model()
        model.compile(optimizer=optimizer(learning_rate=lr), loss="binary_crossentropy")  # <- cause
        history = model.fit(x_train, y_train, epochs=1, verbose=0)
        results[name, lr] = history.history["loss"][-1]

for (name, lr), loss in results.items():
    print(f"{name:5} {lr:5} {loss:.3f}")
