"""Scores passages for queries and writes a ranking after each epoch."""
import collections
import os
import tempfile

import numpy as np
import tensorflow as tf

BATCH = 32
WORDS = 40
OUT = tempfile.mkdtemp()


def make_pairs(queries, docs_per_query, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for q in range(queries):
        for d in range(docs_per_query):
            rows.append((f"q{q}", f"d{q}_{d}", rng.normal(size=WORDS).astype("float32")))
    return rows


def write_records(rows, path):
    with tf.io.TFRecordWriter(path) as writer:
        for _, _, vector in rows:
            feature = {"vector": tf.train.Feature(float_list=tf.train.FloatList(value=vector)),
                       "label": tf.train.Feature(float_list=tf.train.FloatList(value=[float(vector[0] > 0)]))}
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())


def load_records(path):
    spec = {"vector": tf.io.FixedLenFeature([WORDS], tf.float32), "label": tf.io.FixedLenFeature([1], tf.float32)}

    def parse(line):
        example = tf.io.parse_single_example(line, spec)
        return example["vector"], example["label"]

    return tf.data.TFRecordDataset(path).map(parse).batch(BATCH, drop_remainder=True).prefetch(2)  # <- cause


class RankingWriter(tf.keras.callbacks.Callback):
    def __init__(self, dev_set, dev_rows):
        super().__init__()
        self.dev_set = dev_set
        self.dev_rows = dev_rows

    def ranking(self, predictions):
        run = collections.defaultdict(dict)
        for i, (qid, docid, _) in enumerate(self.dev_rows):
            run[qid][docid] = predictions[i][0].astype(np.float16).item()
        return run

    def on_epoch_end(self, epoch, logs=None):
        predictions = self.model.predict(self.dev_set, verbose=0)
        run = self.ranking(predictions)
        with open(os.path.join(OUT, f"run_{epoch}.txt"), "w") as f:
            for qid, scores in run.items():
                for rank, (docid, score) in enumerate(sorted(scores.items(), key=lambda kv: -kv[1])):
                    f.write(f"{qid} Q0 {docid} {rank} {score:.4f} knrm\n")
        print("epoch", epoch, "ranked", len(run), "queries")


def main():
    train_rows, dev_rows = make_pairs(40, 16, 1), make_pairs(15, 10, 2)
    train_path, dev_path = os.path.join(OUT, "train.rec"), os.path.join(OUT, "dev.rec")
    write_records(train_rows, train_path)
    write_records(dev_rows, dev_path)
    model = tf.keras.Sequential([
        tf.keras.Input((WORDS,)),
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(1),
    ])
    model.compile(optimizer="adam", loss=tf.keras.losses.BinaryCrossentropy(from_logits=True))
    dev_set = load_records(dev_path)  # <- cause
    model.fit(load_records(train_path), epochs=3, verbose=2, callbacks=[RankingWriter(dev_set, dev_rows)])


if __name__ == "__main__":
    main()
