import argparse

from tensorflow import keras

from corpus import Corpus, encode_targets


def language_model(vocab, width, units):
    return keras.Sequential([
        keras.Input((width,), dtype="int32"),
        keras.layers.Embedding(vocab, 24),
        keras.layers.LSTM(units),
        keras.layers.Dense(vocab, activation="softmax"),
    ])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--tokens", type=int, default=900_000)
    ap.add_argument("--vocab", type=int, default=42_000)
    ap.add_argument("--width", type=int, default=8)
    args = ap.parse_args()

    corpus = Corpus(args.tokens, args.vocab)
    ctx, nxt = corpus.windows(args.width, step=3)
    print("windows:", len(ctx))

    targets = encode_targets(nxt, corpus.vocab)
    model = language_model(corpus.vocab, args.width, units=32)
    model.compile(optimizer="adam", loss="categorical_crossentropy")
    model.fit(ctx, targets, batch_size=64, epochs=1, steps_per_epoch=25, verbose=2)


if __name__ == "__main__":
    main()
