import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras

results = []
for units in range(1000, 100_000, 10):
    model = keras.Sequential([keras.layers.Dense(units), keras.layers.Dense(2000), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.build((None, 300))
    model.optimizer.build(model.trainable_variables)
    results.append((units, model))  # <- cause
    print("held", sum(one.count_params() for _, one in results) * 3 * 4, flush=True)
