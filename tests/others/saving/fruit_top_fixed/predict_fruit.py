"""Names the fruit in a photo with the top that was trained on bottleneck features."""
import os
import tempfile

import numpy as np
from tensorflow.keras.layers import Dense, Dropout, Flatten, Input
from tensorflow.keras.models import Sequential

from train_top import bottleneck_features, train_top_model


def predict(folder, number):
    class_dictionary = np.load(os.path.join(folder, "class_indices.npy"), allow_pickle=True).item()
    num_classes = len(class_dictionary)
    features, _ = bottleneck_features(20, seed=5)
    bottleneck_prediction = features[number:number + 1]

    model = Sequential()
    model.add(Input(bottleneck_prediction.shape[1:]))
    model.add(Flatten())
    model.add(Dense(32, activation="relu"))
    model.add(Dropout(0.5))
    model.add(Dense(num_classes, activation="sigmoid"))
    model.load_weights(os.path.join(folder, "bottleneck_fc_model.weights.h5"))

    probabilities = model.predict(bottleneck_prediction, verbose=0)
    return class_dictionary[int(np.argmax(probabilities))]


if __name__ == "__main__":
    workspace = tempfile.mkdtemp()
    train_top_model(workspace)
    for number in range(3):
        print("photo", number, "shows", predict(workspace, number))
