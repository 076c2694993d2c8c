import argparse

import tensorflow as tf

from network import RideNet
from rides import hourly_rides
from watchers import StopWhenGood, LearningLog


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--target-error", type=float, default=0.05)
    return p.parse_args()


def main():
    args = parse()
    tf.keras.utils.set_random_seed(1)
    train, valid = hourly_rides()
    model = RideNet(hidden=24)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(0.01),
        loss="mse",
        metrics=[tf.keras.metrics.MeanAbsoluteError(name="ride_error")],
    )
    log = LearningLog()
    model.fit(
        train,
        validation_data=valid,
        epochs=args.epochs,
        verbose=2,
        callbacks=[log, StopWhenGood(args.target_error)],
    )
    print("epochs run:", len(log.rows))


if __name__ == "__main__":
    main()
