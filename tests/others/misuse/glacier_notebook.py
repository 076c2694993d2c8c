#!/usr/bin/env python
# coding: utf-8

# # Glacier front classifier

# In[1]:


import numpy as np
import tensorflow as tf
from tensorflow import keras

rng = np.random.default_rng(30)


# In[2]:


def tracks(n):
    drift = rng.normal(0, 1, (n, 18)).astype("float32").cumsum(axis=1)
    calved = (drift[:, -1] > drift[:, 0]).astype("float32")
    return drift, calved

x_train, y_train = tracks(300)
x_val, y_val = tracks(80)
x_train.shape


# In[3]:


net = keras.Sequential([
    keras.Input((18,)),
    keras.layers.Dense(16, activation="relu"),
    keras.layers.Dense(1, activation="sigmoid"),
])
net.compile(optimizer=keras.optimizers.Adam(0.01), loss="binary_crossentropy", metrics=["accuracy"])


# In[4]:


history = net.fit(x_train, y_train, epochs=10, batch_size=30, verbose=2)


# In[7]:


pred_val = net.predict(x_val, verbose=0).squeeze()
print("val accuracy", ((pred_val > 0.5) == y_val).mean())


# In[6]:


hits = (pred_train > 0.5) == y_train  # <- cause
print("train accuracy", hits.mean())


# In[5]:


pred_train = net.predict(x_train, verbose=0).squeeze()  # <- cause
pred_train[:5]


# In[8]:


gap = hits.mean() - ((pred_val > 0.5) == y_val).mean()
print("generalisation gap", round(float(gap), 3))
