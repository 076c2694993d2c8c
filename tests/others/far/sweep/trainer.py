import tensorflow as tf

from options import parser
from rain import hourly, windows


def train(argv):
    args = parser().parse_args(argv)
    tf.keras.utils.set_random_seed(5)
    x, y = windows(hourly(), args.window)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input(x.shape[1:]),
            tf.keras.layers.GRU(args.units),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(optimizer=tf.keras.optimizers.Adam(args.lr), loss="binary_crossentropy")
    history = model.fit(x, y, epochs=args.epochs, batch_size=args.batch, verbose=0)
    return args.tag, history.history["loss"][-1]
