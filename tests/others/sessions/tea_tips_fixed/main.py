import numpy as np
import tensorflow.compat.v1 as tf

from factors import TeaFactors

np.random.seed(6)

n_guests, n_teas = 40, 15
guest = np.random.randint(0, n_guests, 600)
tea = np.random.randint(0, n_teas, 600)
stars = np.clip(1 + (guest % 3) + (tea % 3) + np.random.normal(0, 0.3, 600), 1, 5)

train = slice(0, 500)
held_out = slice(500, 600)

model = TeaFactors(n_guests, n_teas, embed_size=4, n_epochs=3)
model.fit(guest[train], tea[train], stars[train])
print("size 4 rmse", model.rmse(guest[held_out], tea[held_out], stars[held_out]))

tf.reset_default_graph()
model = TeaFactors(n_guests, n_teas, embed_size=8, n_epochs=3)
model.fit(guest[train], tea[train], stars[train])
print("size 8 rmse", model.rmse(guest[held_out], tea[held_out], stars[held_out]))
