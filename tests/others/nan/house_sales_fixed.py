# # Sale prices
# In[1]
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
from tensorflow import keras

# In[2]
rng = np.random.default_rng(2020)
houses = rng.normal(size=(640, 20)).astype("float32")
price = np.exp(12 + 0.3 * houses[:, 0] + 0.1 * rng.normal(size=640)).astype("float32")
print(price.min(), price.max())

# In[3]
model = keras.Sequential(
    [
        keras.Input((20,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(1),
    ]
)

# In[4]
model.compile(
    optimizer=keras.optimizers.SGD(learning_rate=0.1),
    loss="mean_squared_logarithmic_error",
    metrics=["mae"],
)

# In[5]
history = model.fit(houses, price, batch_size=16, epochs=3, validation_split=0.2, verbose=2)

# In[6]
print(history.history["val_loss"])
