import numpy as np
from keras.layers import Input, Conv2D, MaxPooling2D, UpSampling2D
from keras.models import Model
from keras import backend as K
import keras

keras.utils.set_random_seed(2)


# digits of gas meters are private, seven segment look-alikes will do
def seg_digit(d, rs):
    on = {0: "abcdef", 1: "bc", 2: "abged", 3: "abgcd", 4: "fgbc", 5: "afgcd",
          6: "afgedc", 7: "abc", 8: "abcdefg", 9: "abfgcd"}[d]
    im = np.zeros((28, 28))
    dy, dx = rs.randint(-2, 3, 2)
    top, mid, low = 4 + dy, 13 + dy, 22 + dy
    left, right = 8 + dx, 18 + dx
    if "a" in on: im[top:top + 2, left:right + 2] = 255
    if "g" in on: im[mid:mid + 2, left:right + 2] = 255
    if "d" in on: im[low:low + 2, left:right + 2] = 255
    if "f" in on: im[top:mid, left:left + 2] = 255
    if "b" in on: im[top:mid, right:right + 2] = 255
    if "e" in on: im[mid:low + 2, left:left + 2] = 255
    if "c" in on: im[mid:low + 2, right:right + 2] = 255
    return im


def load_data(n_train=400, n_test=80):
    rs = np.random.RandomState(14)
    x = np.array([seg_digit(rs.randint(10), rs) for _ in range(n_train + n_test)])
    return x[:n_train], x[n_train:]


digits, digits_val = load_data()
digits = digits.astype('float32') / 255.
digits_val = digits_val.astype('float32') / 255.
digits = np.reshape(digits, (len(digits), 1, 28, 28))  # <- cause
digits_val = np.reshape(digits_val, (len(digits_val), 1, 28, 28))  # <- cause
print(digits.shape)
print(digits_val.shape)

dust = 0.4
dusty = digits + dust * np.random.standard_normal(size=digits.shape)
dusty_val = digits_val + dust * np.random.standard_normal(size=digits_val.shape)
dusty = np.clip(dusty, 0., 1.)
dusty_val = np.clip(dusty_val, 0., 1.)

window = Input(shape=(1, 28, 28))  # <- cause

x = Conv2D(12, (3, 3), activation='relu', padding='same')(window)
x = MaxPooling2D((2, 2), padding='same')(x)
x = Conv2D(12, (3, 3), activation='relu', padding='same')(x)
code = MaxPooling2D((2, 2), padding='same')(x)

x = Conv2D(12, (3, 3), activation='relu', padding='same')(code)
x = UpSampling2D((2, 2))(x)
x = Conv2D(12, (3, 3), activation='relu', padding='same')(x)
x = UpSampling2D((2, 2))(x)
repaired = Conv2D(1, (3, 3), activation='sigmoid', padding='same')(x)

cleaner = Model(window, repaired)
cleaner.compile(optimizer='adam', loss='binary_crossentropy')

cleaner.fit(dusty, digits,
                epochs=15,
                batch_size=32,
                shuffle=True,
                validation_data=(dusty_val, digits_val),
                verbose=2)

clean = cleaner.predict(dusty_val, verbose=0)
print('mean abs error noisy   ', np.abs(dusty_val - digits_val).mean().round(4))
print('mean abs error denoised', np.abs(clean - digits_val).mean().round(4))
