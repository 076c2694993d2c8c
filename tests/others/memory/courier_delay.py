"""
late parcels - small net on the order table
runs on the shared office box, so the address space is capped
"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (16 * 1024 ** 3, 16 * 1024 ** 3))

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from tensorflow import keras
from tensorflow.keras import layers

rng = np.random.default_rng(77)
N = 180000


def read_orders():
    depot = rng.choice(['HAM', 'BER', 'MUC', 'CGN'], N)
    service = rng.choice(['std', 'express'], N, p=[.8, .2])
    weight = rng.gamma(2, 2.5, N).round(2)
    dist = rng.gamma(3, 60, N).round()
    hour = rng.integers(6, 22, N)
    z = -2 + 0.006 * dist + 0.05 * weight - 1.2 * (service == 'express') + 0.5 * (depot == 'BER')
    late = (rng.random(N) < 1 / (1 + np.exp(-z))).astype(int)
    ids = rng.permutation(N) + 4000000
    return pd.DataFrame({
        'parcel_no': ['LX%08d' % i for i in ids],
        'depot': depot, 'service': service, 'weight': weight,
        'dist': dist, 'hour': hour, 'late': late})


orders = read_orders()
print(orders.dtypes)
print('late share', orders['late'].mean())
orders = orders.dropna()

y = orders['late'].values
data = orders.drop(columns=['late'])  # <- cause
num = ['weight', 'dist', 'hour']
data[num] = StandardScaler().fit_transform(data[num])

# everything that is text becomes 0/1 columns
cat = [c for c in data.columns if c not in num]
data = pd.get_dummies(data, columns=cat, dtype='float32')
print('after encoding', data.shape)

x_tr, x_te, y_tr, y_te = train_test_split(data.values.astype('float32'), y, test_size=.2, random_state=1)

net = keras.Sequential([
    layers.Input((x_tr.shape[1],)),
    layers.Dense(16, activation='relu'),
    layers.Dense(8, activation='relu'),
    layers.Dense(1, activation='sigmoid')])
net.compile('adam', 'binary_crossentropy', metrics=['accuracy', keras.metrics.AUC(name='auc')])
net.fit(x_tr, y_tr, epochs=2, batch_size=1024, verbose=2, validation_data=(x_te, y_te))
print(dict(zip(['loss', 'acc', 'auc'], net.evaluate(x_te, y_te, batch_size=2048, verbose=0))))
