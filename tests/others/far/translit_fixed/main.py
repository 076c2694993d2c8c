import numpy as np

import pairs
from seq2seq import Transliterator


def decode(encoder, decoder, word, limit=10):
    h, c = encoder.predict(word[None], verbose=0)
    token, out = pairs.START, []
    while len(out) < limit:
        p, h, c = decoder.predict([np.array([[token]]), h, c], verbose=0)
        token = int(p[0, -1].argmax())
        if token == pairs.STOP:
            break
        out.append(token)
    return out


def main():
    src, dec_in, dec_out = pairs.make(192)
    net = Transliterator()
    net.model.fit([src, dec_in], dec_out, batch_size=32, epochs=2, verbose=2)
    encoder, decoder = net.inference()
    for word in src[:2]:
        print(word, "->", decode(encoder, decoder, word))


if __name__ == "__main__":
    main()
