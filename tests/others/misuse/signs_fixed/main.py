import numpy as np
import tensorflow as tf

from sign_model import sign_net, smooth_labels
from sign_data import shapes

EPOCHS = 3


def main():
    tf.keras.utils.set_random_seed(8)
    x, y = shapes(240)
    model = sign_net(x.shape[1:], classes=4)
    model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, smooth_labels(y, 4), epochs=EPOCHS, batch_size=16, verbose=2)
    print("mean confidence:", float(np.max(model.predict(x, verbose=0), axis=1).mean()))


if __name__ == "__main__":
    main()
