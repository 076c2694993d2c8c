import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import LSTM, Dense, Dropout, Input
from tensorflow.keras.callbacks import EarlyStopping

np.random.seed(21)
N_STEPS = 45       # 45 readings per window
CHANNELS = 2       # left / right electrode


def load_patient(n_windows=160):
    """returns windows and 0/1 marks from the nurse's sheet"""
    data, marks = [], []
    for k in range(n_windows):
        mark = k % 2
        t = np.arange(N_STEPS)
        freq = 0.45 if mark else 0.12
        phase = np.random.rand() * 2 * np.pi
        left = np.sin(freq * t + phase) + 0.3 * np.random.randn(N_STEPS)
        right = np.sin(freq * t + phase + 0.5) * (1.3 if mark else 0.9) + 0.3 * np.random.randn(N_STEPS)
        data.append(np.stack([left, right], axis=1))
        marks.append([mark])
    return np.array(data), np.array(marks, dtype="float32")


X, y = load_patient()
print("windows", X.shape, "marks", y.shape)

sc = StandardScaler()
flat = sc.fit_transform(X.reshape(-1, CHANNELS))
X = flat.reshape(-1, N_STEPS, CHANNELS)

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
print(X_train.shape, y_train.shape)


def build(units=24):
    model = Sequential()
    model.add(Input(shape=(N_STEPS, CHANNELS)))
    model.add(LSTM(units, return_sequences=True))
    model.add(Dropout(0.1))
    model.add(LSTM(units, return_sequences=False))
    model.add(Dense(1, activation="sigmoid"))
    return model


model = build()
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
model.summary()

stop = EarlyStopping(monitor="val_loss", patience=3, restore_best_weights=True)
history = model.fit(X_train, y_train, epochs=6, batch_size=12,
                    validation_data=(X_test, y_test), callbacks=[stop], verbose=2)

loss, acc = model.evaluate(X_test, y_test, verbose=0)
print("held out windows: loss %.3f accuracy %.3f" % (loss, acc))
first = model.predict(X_test[:5], verbose=0)
print("first marks", y_test[:5].ravel(), "->", np.round(first, 2).ravel())
