from sklearn.datasets import make_regression
from sklearn.preprocessing import StandardScaler
from sklearn.model_selection import train_test_split
from keras.models import Sequential
from keras.layers import Dense, LSTM
import numpy as np
import pandas as pd

# 9 monthly soil readings per olive grove (Feb .. Oct), targets = kg fruit, litres oil
months = ["feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct"]
vals, targets = make_regression(n_samples=240, n_features=9, n_informative=7,
                                n_targets=2, noise=4.0, random_state=5)
table = pd.DataFrame(vals, columns=["moist_" + m for m in months])
table["fruit_kg"] = 900 + 2.0 * targets[:, 0]
table["oil_l"] = 160 + 0.4 * targets[:, 1]
print(table.describe().loc[["mean", "std"]].round(2))

X = table[["moist_" + m for m in months]].values
Y = table[["fruit_kg", "oil_l"]].values

x_scaler, y_scaler = StandardScaler(), StandardScaler()
X = x_scaler.fit_transform(X)
Y = y_scaler.fit_transform(Y)  # <- cause

X_train, X_test, Y_train, Y_test = train_test_split(X, Y, test_size=0.25, random_state=1)
print("X", X_train.shape, "Y", Y_train.shape)

# recurrent net, 9 inputs, 2 outputs
model = Sequential()
model.add(LSTM(32, input_shape=(None, 9)))  # <- cause
model.add(Dense(2))
model.compile(loss="mean_squared_error", optimizer="adam")

model.fit(X_train, Y_train, epochs=15, batch_size=16, verbose=0)

mse = model.evaluate(X_test, Y_test, verbose=0)
print("test mse (scaled): %.3f" % mse)
guess = y_scaler.inverse_transform(model.predict(X_test[:3], verbose=0))
real = y_scaler.inverse_transform(Y_test[:3])
for g, r in zip(guess, real):
    print("fruit %.0f kg (real %.0f), oil %.0f l (real %.0f)" % (g[0], r[0], g[1], r[1]))
