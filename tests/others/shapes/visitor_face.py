import os
import numpy as np
from PIL import Image
from tensorflow import keras
from tensorflow.keras.models import Sequential, load_model
from tensorflow.keras.layers import Dense, Dropout

SIDE = 30
PEOPLE = 4
rng = np.random.default_rng(11)

# ---- portraits: one base pattern per person, plus noise
bases = rng.integers(40, 200, size=(PEOPLE, SIDE, SIDE))
pics, who = [], []
for person in range(PEOPLE):
    for _ in range(15):
        shot = np.clip(bases[person] + rng.normal(0, 12, (SIDE, SIDE)), 0, 255)
        pics.append(shot.astype("uint8"))
        who.append(person)
pics = np.array(pics)
who = np.array(who)

Image.fromarray(np.kron(pics[17], np.ones((2, 2), dtype="uint8"))).save("visitor.png")

# ---- training
train_x = pics.reshape(len(pics), SIDE * SIDE).astype("float32") / 255.0
train_y = keras.utils.to_categorical(who, PEOPLE)

net = Sequential()
net.add(keras.Input(shape=(SIDE * SIDE,)))
net.add(Dense(64, activation="relu"))
net.add(Dropout(0.2))
net.add(Dense(PEOPLE, activation="softmax"))
net.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
net.fit(train_x, train_y, epochs=8, batch_size=16, verbose=0)
net.save("faces.keras")

# ---- door camera
door = load_model("faces.keras")
img = Image.open("visitor.png").convert("L").resize((SIDE, SIDE))
img = np.asarray(img).astype("float32") / 255.0
img = img.reshape(SIDE * SIDE)
img = np.expand_dims(img, axis=1)  # <- cause
print(img.shape)
scores = door.predict(img)
print("person", int(np.argmax(scores, axis=1)[0]))
os.remove("visitor.png")
os.remove("faces.keras")
