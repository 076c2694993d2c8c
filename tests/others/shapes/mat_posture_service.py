import json
import numpy as np
import keras
from keras.models import Sequential
from keras.layers import Dense, Dropout, Input
from keras.utils import to_categorical

# pressure mat under the office chair, 20 x 20 sensors, one frame per second
ROWS, COLS = 20, 20
POSTURES = ["upright", "slouched", "leaning_left", "leaning_right"]

rng = np.random.default_rng(12)


def fake_frame(kind):
    yy, xx = np.mgrid[0:ROWS, 0:COLS]
    cy, cx = {0: (10, 10), 1: (15, 10), 2: (10, 5), 3: (10, 15)}[kind]
    cy = cy + rng.normal(0, 1.0)
    cx = cx + rng.normal(0, 1.0)
    blob = np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / 18.0)
    return np.clip(blob + rng.normal(0, 0.05, blob.shape), 0, 1)


def make_recordings(n):
    kinds = rng.integers(0, len(POSTURES), n)
    frames = np.stack([fake_frame(k) for k in kinds]).astype("float32")
    return frames, kinds


frames, kinds = make_recordings(600)
X = frames.reshape(len(frames), ROWS * COLS)
Y = to_categorical(kinds, len(POSTURES))
print("training on", X.shape, Y.shape)

model = Sequential()
model.add(Input(shape=(ROWS * COLS,)))
model.add(Dense(64, activation="relu"))
model.add(Dropout(0.2))
model.add(Dense(len(POSTURES), activation="softmax"))
model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(X, Y, epochs=6, batch_size=32, validation_split=0.1, verbose=2)


class PostureView:
    """what the web page calls: gets the body of the POST, answers with json"""

    def __init__(self, net):
        self.net = net
        self.seen = 0

    def parse(self, body):
        payload = json.loads(body)
        values = payload["values"]
        if len(values) != ROWS * COLS:
            raise RuntimeError("chair %s sent %d values" % (payload["chair"], len(values)))
        frame = np.array(values, dtype="float32")  # <- cause
        return payload["chair"], frame

    def post(self, body):
        chair, frame = self.parse(body)
        self.seen += 1
        scores = self.net.predict(frame, verbose=0)
        best = int(np.argmax(scores[0]))
        answer = {
            "chair": chair,
            "posture": POSTURES[best],
            "score": round(float(scores[0][best]), 3),
        }
        return json.dumps(answer)


view = PostureView(model)
for kind in (0, 2, 3):
    body = json.dumps({
        "chair": "C-%03d" % rng.integers(1, 200),
        "values": [float(v) for v in fake_frame(kind).ravel()],
    })
    print("expected", POSTURES[kind], "->", view.post(body))
print("requests served:", view.seen)
