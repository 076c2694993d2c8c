import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler, LabelEncoder
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Dense, Dropout
from tensorflow.keras.utils import to_categorical

np.random.seed(11)

# ---------- readings of the pump station (exported once per minute) ----------
N = 900
state = np.random.choice(['normal', 'cavitation', 'bearing'], size=N, p=[0.5, 0.25, 0.25])
base = {'normal': 0.4, 'cavitation': 1.1, 'bearing': 1.9}
rms = np.array([base[s] for s in state]) + np.random.normal(0, 0.15, N)
kurt = 3 + np.array([0 if s == 'normal' else 2 for s in state]) + np.random.normal(0, 0.6, N)
temp = 45 + 10 * (state == 'bearing') + np.random.normal(0, 3, N)
flow = 80 - 15 * (state == 'cavitation') + np.random.normal(0, 4, N)
df = pd.DataFrame({'rms': rms, 'kurtosis': kurt, 'temp': temp, 'flow': flow, 'state': state})
df.loc[df.sample(20, random_state=1).index, 'temp'] = np.nan
df['temp'] = df['temp'].fillna(df['temp'].median())
print(df.head())
print(df['state'].value_counts())

le = LabelEncoder()
y = to_categorical(le.fit_transform(df['state']))
X = df.drop('state', axis=1).values
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.2, random_state=0)
sc = StandardScaler()
X_tr = sc.fit_transform(X_tr)
X_te = sc.transform(X_te)

# ---------- model ----------
EPOCHS = 12
model = Sequential()
model.add(Dense(32, activation='relu', input_shape=(X_tr.shape[1],)))
model.add(Dropout(0.2))
model.add(Dense(16, activation='relu'))
model.add(Dense(y.shape[1], activation='softmax'))
model.compile(loss='categorical_crossentropy', optimizer='adam', metrics=['accuracy'])
model.summary()

history = model.fit(X_tr, y_tr, validation_data=(X_te, y_te), epochs=EPOCHS, batch_size=32, verbose=2)
score = model.evaluate(X_te, y_te, verbose=0)
print('test loss', score[0], 'test accuracy', score[1])

# ---------- curves ----------
plt.figure(figsize=(10, 4))
plt.subplot(1, 2, 1)
plt.plot(history.history['loss'])
plt.plot(history.history['val_loss'])
plt.title('loss')
plt.legend(['train', 'test'])
plt.subplot(1, 2, 2)
plt.plot(history.history['acc'])  # <- cause
plt.plot(history.history['val_acc'])  # <- cause
plt.title('accuracy')
plt.xlabel('epoch')
plt.legend(['train', 'test'])
plt.show()

pred = np.argmax(model.predict(X_te, verbose=0), axis=1)
print('first ten:', le.inverse_transform(pred[:10]))
