import numpy as np
import tf_keras as keras
from tf_keras import backend as K
from tf_keras.layers import Conv2D, Dense, Flatten, Input, Lambda, MaxPooling2D
from tf_keras.models import Model, Sequential

FACE_SHAPE = (24, 20, 1)


def make_faces(people=8, shots=6, seed=2):
    rng = np.random.default_rng(seed)
    base = rng.random((people, 1) + FACE_SHAPE)
    noise = rng.normal(0, 0.05, (people, shots) + FACE_SHAPE)
    return np.clip(base + noise, 0, 1).astype("float32")


def create_pairs(faces, n_pairs, seed=4):
    rng = np.random.default_rng(seed)
    people, shots = faces.shape[:2]
    X_pairs, y_pairs = [], []
    for _ in range(n_pairs):
        who = rng.integers(people)
        i, j = rng.choice(shots, 2, replace=False)
        X_pairs += [[faces[who, i], faces[who, j]]]
        y_pairs += [1]
        other = (who + rng.integers(1, people)) % people
        X_pairs += [[faces[who, i], faces[other, j]]]
        y_pairs += [0]
    X_pairs = np.array(X_pairs)
    y_pairs = np.array(y_pairs)
    return X_pairs, y_pairs


def shared_network(input_shape):
    net = Sequential(name="shared")
    net.add(Conv2D(8, (3, 3), activation="relu", input_shape=input_shape))
    net.add(MaxPooling2D())
    net.add(Flatten())
    net.add(Dense(16, activation="sigmoid"))
    return net


def euclidean_distance(vectors):
    v1, v2 = vectors
    sum_square = K.sum(K.square(v1 - v2), axis=1, keepdims=True)
    return K.sqrt(K.maximum(sum_square, K.epsilon()))


def contrastive_loss(Y_true, D):  # <- cause
    margin = 1
    return K.mean(Y_true * K.square(D) + (1 - Y_true) * K.maximum(margin - D, 0))


def main():
    faces = make_faces()
    X_pairs, y_pairs = create_pairs(faces, 48)

    shared = shared_network(FACE_SHAPE)
    top, bottom = Input(shape=FACE_SHAPE), Input(shape=FACE_SHAPE)
    distance = Lambda(euclidean_distance)([shared(top), shared(bottom)])
    model = Model(inputs=[top, bottom], outputs=distance)
    model.compile(loss=contrastive_loss, optimizer=keras.optimizers.Adam())
    model.fit([X_pairs[:, 0], X_pairs[:, 1]], y_pairs, batch_size=16, epochs=2, verbose=2)
    print("pair 0 distance:", model.predict([X_pairs[:1, 0], X_pairs[:1, 1]], verbose=0))


if __name__ == "__main__":
    main()
