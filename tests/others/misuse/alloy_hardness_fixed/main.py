import os
import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.metrics import r2_score, mean_absolute_error
import tensorflow as tf
from tensorflow.keras import layers

from descriptors import generate_features

RNG_SEED = 10
np.random.seed(RNG_SEED)
tf.random.set_seed(RNG_SEED)

PATH = os.path.dirname(os.path.abspath(__file__))
df = pd.read_csv(os.path.join(PATH, 'data', 'alloys.csv'))
print('Full DataFrame shape:', df.shape)

rename_dict = {'hardness_HV': 'target'}
df = df.rename(columns=rename_dict)
df_train = df.sample(frac=0.75, random_state=RNG_SEED)
df_test = df.drop(df_train.index)

X_train_unscaled, y_train, formulae_train, skipped_train = generate_features(df_train, elem_prop='basic')
X_test_unscaled, y_test, formulae_test, skipped_test = generate_features(df_test, elem_prop='basic')
print('features', X_train_unscaled.shape, 'skipped', len(skipped_train), len(skipped_test))

scaler = StandardScaler()
X_train = scaler.fit_transform(X_train_unscaled)
X_test = scaler.transform(X_test_unscaled)
X_train = normalize(X_train)
X_test = normalize(X_test)

net = tf.keras.Sequential([
    layers.Input((X_train.shape[1],)),
    layers.Dense(64, activation='relu'),
    layers.Dense(32, activation='relu'),
    layers.Dense(1),
])
net.compile('adam', loss='mae')
ym, ys = y_train.mean(), y_train.std()
net.fit(X_train, (y_train - ym) / ys, epochs=25, batch_size=16, verbose=0)

p = net.predict(X_test, verbose=0)[:, 0] * ys + ym
print('r2 %.3f   MAE %.1f HV' % (r2_score(y_test, p), mean_absolute_error(y_test, p)))
for f, a, b in list(zip(formulae_test, y_test, p))[:5]:
    print(f, a, round(float(b), 1))
