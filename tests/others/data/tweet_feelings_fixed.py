import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

EMOTIONS = 3
TRAIN = [
    ("i am so happy for you", 0),
    ("this is a sad day", 1),
    ("leave me alone", 2),
    ("what a lovely surprise", 0),
    ("i miss you very much", 1),
    ("stop shouting at me", 2),
]
TEST = [
    ("so happy to see you", 0),
    ("i am very sad that this lovely day is over", 1),
]


def read(rows):
    texts = np.array([text for text, _ in rows])
    return texts, np.array([emotion for _, emotion in rows])


def sentences_to_indices(X, word_to_index, max_len):
    m = X.shape[0]
    X_indices = np.zeros((m, max_len))
    for i in range(m):
        j = 0
        for w in X[i].lower().split():
            X_indices[i, j] = word_to_index.get(w, 0)
            j = j + 1
    return X_indices


def classifier(words, max_len):
    model = keras.Sequential([keras.Input((max_len,)), keras.layers.Embedding(words + 1, 8)])
    model.add(keras.layers.LSTM(8))
    model.add(keras.layers.Dense(EMOTIONS, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


X_train, Y_train = read(TRAIN)
X_test, Y_test = read(TEST)
word_to_index = {}
for sentence in np.concatenate([X_train, X_test]):
    for word in sentence.split():
        word_to_index.setdefault(word, len(word_to_index) + 1)
maxLen = len(max(np.concatenate([X_train, X_test]), key=lambda text: len(text.split())).split())

model = classifier(len(word_to_index), maxLen)
model.fit(sentences_to_indices(X_train, word_to_index, maxLen), Y_train, epochs=1, verbose=0)
X_test_indices = sentences_to_indices(X_test, word_to_index, maxLen)
print(model.evaluate(X_test_indices, Y_test, verbose=0))
