import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

PAPERS, WORDS, TOPICS = 300, 60, 6


def load_data(seed=22):
    """Which words each paper has; some papers of this collection have none."""
    draw = np.random.default_rng(seed)
    topic = draw.integers(0, TOPICS, PAPERS)
    words = (draw.random((PAPERS, WORDS)) < 0.08).astype("float32")
    words[np.arange(PAPERS), topic] = 1.0
    words[draw.choice(PAPERS, 15, replace=False)] = 0.0
    return words, topic


def preprocess_features(words):
    with np.errstate(divide="ignore", invalid="ignore"):
        return words / words.sum(axis=1, keepdims=True)


def model_of():
    paper = keras.Input((WORDS,))
    x = keras.layers.Dropout(0.3)(paper)
    x = keras.layers.Dense(16, activation="elu")(x)
    return keras.Model(paper, keras.layers.Dense(TOPICS, activation="softmax")(x))


words, topic = load_data()
features = preprocess_features(words)
features[np.isnan(features)] = 0.0
model = model_of()
model.compile(keras.optimizers.Adam(5e-3), "sparse_categorical_crossentropy", weighted_metrics=["acc"])
model.fit(features, topic, epochs=3, batch_size=PAPERS, shuffle=False, verbose=2)
