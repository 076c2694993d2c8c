"""Character model composing a line for each given first character."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

LINES = ["moon over the cold river", "rain on the old bridge", "snow falls on the pines",
         "wind in the tall reeds", "mist hides the far hill"]
END = "$"


def build_vocab(lines):
    chars = sorted(set("".join(lines)) | {END})
    return chars, {c: i for i, c in enumerate(chars)}


def bigram_counts(lines, index):
    counts = np.full((len(index), len(index)), 0.1, dtype="float32")
    for line in lines:
        for a, b in zip(line, line[1:] + END):
            counts[index[a], index[b]] += 1
    return counts


def poem_model(inputs, counts, hidden=32):
    size = counts.shape[0]
    embedding = tf.get_variable("embedding", initializer=np.eye(size, dtype="float32"))
    weights = tf.get_variable("weights", initializer=np.log(counts))
    bias = tf.get_variable("bias", [size], initializer=tf.zeros_initializer())
    x = tf.nn.embedding_lookup(embedding, inputs)
    logits = tf.matmul(x, weights) + bias
    return {"prediction": tf.nn.softmax(logits), "hidden": hidden}


def pick(prob, chars, rng):
    return chars[int(rng.choice(len(chars), p=prob / prob.sum()))]


def gen_poem(begin_char, chars, index, counts, max_len=24):
    rng = np.random.default_rng(ord(begin_char))
    tf.reset_default_graph()
    inputs = tf.placeholder(tf.int32, [1])
    end_points = poem_model(inputs, counts)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        char, poem = begin_char, begin_char
        while len(poem) < max_len:
            prob = sess.run(end_points["prediction"], {inputs: [index[char]]})[0]
            char = pick(prob.astype("float64"), chars, rng)
            if char == END:
                break
            poem += char
    return poem


def main():
    chars, index = build_vocab(LINES)
    counts = bigram_counts(LINES, index)
    for begin_char in "mrs":
        print(begin_char, "->", gen_poem(begin_char, chars, index, counts))


if __name__ == "__main__":
    main()
