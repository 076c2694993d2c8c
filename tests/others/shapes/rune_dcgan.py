import numpy as np
import keras
from keras.layers import (Input, Dense, Reshape, Flatten, Dropout, BatchNormalization,
                          Activation, ZeroPadding2D, LeakyReLU, UpSampling2D, Conv2D)
from keras.models import Sequential, Model
from keras.optimizers import Adam


class RuneGAN():
    def __init__(self):
        # size of the scanned stamps
        self.high = 32
        self.wide = 32
        self.inks = 3
        self.stamp_shape = (self.high, self.wide, self.inks)
        self.n_noise = 40

        # the judge: real stamp or forged
        self.judge = self.make_judge()
        self.judge.compile(loss='binary_crossentropy',
                           optimizer=Adam(4e-4, 0.6), metrics=['accuracy'])

        # the forger
        self.forger = self.make_forger()

        # noise in, verdict out; only the forger is trained here
        z = Input(shape=(self.n_noise,))
        img = self.forger(z)
        self.judge.trainable = False
        yes = self.judge(img)
        self.chain = Model(z, yes)
        self.chain.compile(loss='binary_crossentropy', optimizer=Adam(4e-4, 0.6))

    def make_forger(self):
        model = Sequential()
        model.add(Input(shape=(self.n_noise,)))
        model.add(Dense(32 * 7 * 7, activation="relu"))  # <- cause
        model.add(Reshape((7, 7, 32)))  # <- cause
        model.add(UpSampling2D())
        model.add(Conv2D(32, kernel_size=3, padding="same"))
        model.add(BatchNormalization(momentum=0.9))
        model.add(Activation("relu"))
        model.add(UpSampling2D())
        model.add(Conv2D(16, kernel_size=3, padding="same"))
        model.add(BatchNormalization(momentum=0.9))
        model.add(Activation("relu"))
        model.add(Conv2D(self.inks, kernel_size=3, padding="same"))
        model.add(Activation("tanh"))

        noise = Input(shape=(self.n_noise,))
        img = model(noise)
        return Model(noise, img)

    def make_judge(self):
        model = Sequential()
        model.add(Input(shape=self.stamp_shape))
        model.add(Conv2D(8, kernel_size=3, strides=2, padding="same"))
        model.add(LeakyReLU(0.1))
        model.add(Dropout(0.2))
        model.add(Conv2D(16, kernel_size=3, strides=2, padding="same"))
        model.add(ZeroPadding2D(padding=((0, 1), (0, 1))))
        model.add(LeakyReLU(0.1))
        model.add(Dropout(0.2))
        model.add(Flatten())
        model.add(Dense(1, activation='sigmoid'))

        img = Input(shape=self.stamp_shape)
        verdict = model(img)
        return Model(img, verdict)

    def load_stamps(self, n=200):
        # coloured strokes on parchment
        rs = np.random.RandomState(0)
        X = np.full((n, self.high, self.wide, self.inks), 210.0)
        X += rs.normal(0, 8, X.shape)
        for k in range(n):
            col = rs.randint(6, 26)
            X[k, 4:28, col - 1:col + 1] = (40, 20, 20)
            row = rs.randint(6, 26)
            X[k, row - 1:row + 1, 8:24] = (40, 20, 20)
        X = X / 127.5 - 1.
        return np.clip(X, -1, 1).astype('float32')

    def train(self, epochs, batch_size=16, show_every=5):
        X_train = self.load_stamps()
        print("stamps", X_train.shape, X_train.min(), X_train.max())
        yes = np.ones((batch_size, 1))
        no = np.zeros((batch_size, 1))

        for epoch in range(epochs):
            # ---- judge
            idx = np.random.randint(0, X_train.shape[0], batch_size)
            imgs = X_train[idx]
            noise = np.random.normal(0, 1, (batch_size, self.n_noise)).astype('float32')
            forged = self.forger.predict(noise, verbose=0)

            self.judge.trainable = True
            on_real = self.judge.train_on_batch(imgs, yes)
            on_fake = self.judge.train_on_batch(forged, no)
            both = 0.5 * np.add(on_real, on_fake)

            # ---- forger (wants the judge to call its stamps real)
            self.judge.trainable = False
            fooled = self.chain.train_on_batch(noise, yes)

            if epoch % show_every == 0:
                print("%d [judge %.3f, right %.1f%%] [forger %.3f]"
                      % (epoch, both[0], 100 * both[1], float(fooled)))
                self.dump_sheet(epoch)

    def dump_sheet(self, epoch):
        noise = np.random.normal(0, 1, (4, self.n_noise))
        sheet = 0.5 * self.forger.predict(noise, verbose=0) + 0.5
        np.save("rune_sheet_%03d.npy" % epoch, sheet)


if __name__ == '__main__':
    keras.utils.set_random_seed(6)
    gan = RuneGAN()
    gan.train(epochs=11, batch_size=16, show_every=5)
    print("done")
