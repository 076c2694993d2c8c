import argparse
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

DROPPED = {
    "packet": ("timestamp", "src_ip", "dst_ip"),
    "flow": ("ip_src", "ip_dst"),
}


def packets(attack, seed):
    draw = np.random.default_rng(seed)
    count = 150
    table = pd.DataFrame(
        {
            "timestamp": np.arange(count),
            "src_ip": draw.choice(["10.0.0.2", "10.0.0.3"], count),
            "dst_ip": "10.0.0.9",
            "ttl": draw.integers(32, 128, count),
            "ip_len": draw.integers(40, 1500, count) + 200 * attack,
        }
    )
    table["is_attack"] = attack
    return table


def load_file(table, mode, is_attack):
    columns_to_drop = DROPPED[mode]
    dataset = table.copy()
    dataset.drop(columns=list(columns_to_drop), inplace=True)
    y = dataset.pop("is_attack").to_numpy()
    assert set(y) == {is_attack}
    return dataset.to_numpy("float32"), y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="packet", choices=DROPPED)
    args = parser.parse_args()
    x, y = load_file(packets(0, 1), args.mode, 0)
    x_attack, y_attack = load_file(packets(1, 2), args.mode, 1)
    x, y = np.concatenate([x, x_attack]), np.concatenate([y, y_attack])
    model = keras.Sequential([keras.Input((x.shape[1],)), keras.layers.Dense(8), keras.layers.Dense(1, "sigmoid")])
    model.compile("adam", "binary_crossentropy")
    model.fit(x / x.max(0), y, epochs=1, verbose=0)


main()
