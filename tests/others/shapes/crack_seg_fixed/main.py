import tensorflow as tf

from settings import Settings
from unet import build_unet
from walls import walls


def main():
    tf.keras.utils.set_random_seed(0)
    s = Settings()
    x, y = walls(48, s)
    model = build_unet(s)
    model.compile(optimizer=tf.keras.optimizers.Adam(0.005), loss="binary_crossentropy")
    model.fit(x, y, batch_size=s.batch, epochs=s.epochs, verbose=2)
    print("mask shape:", model.predict(x[:2], verbose=0).shape)


if __name__ == "__main__":
    main()
