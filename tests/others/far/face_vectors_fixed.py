import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

PEOPLE = ["ada", "bob", "cyd"]
EMBEDDING = 512


def embedder():
    inputs = keras.Input((20, 20, 3))
    hidden = keras.layers.GlobalAveragePooling2D()(keras.layers.Conv2D(8, 3)(inputs))
    return keras.Model(inputs, keras.layers.Dense(EMBEDDING)(hidden))


def photos(person, count):
    draw = np.random.default_rng(person)
    return draw.normal(person, 1.0, (count, 20, 20, 3)).astype("float32")


def collect(model):
    emb_data, labels = [], []
    for number, name in enumerate(PEOPLE):
        for picture in photos(number, 8):
            vector = model.predict(picture[None], verbose=0)
            emb_data.append(vector[0])
            labels.append(number)
        print(name, len(emb_data))
    return emb_data, labels


def main():
    emb_data, labels = collect(embedder())
    train_x = np.array(emb_data)
    train_x = train_x.reshape(-1, EMBEDDING)
    train_y = np.array(labels)
    X_train, X_test, y_train, y_test = train_test_split(train_x, train_y, test_size=0.3, random_state=42)
    knn = KNeighborsClassifier(3).fit(X_train, y_train)
    print("accuracy", knn.score(X_test, y_test))


main()
