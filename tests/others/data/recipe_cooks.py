import numpy as np
import pandas as pd
from tensorflow.keras.layers import Dense, Dot, Embedding, Flatten, Input
from tensorflow.keras.models import Model

rng = np.random.default_rng(31)

# ratings table: ids start at 1
n_rows = 900
dataset = pd.DataFrame({
    "recipe_id": rng.integers(1, 61, n_rows),
    "cook_id": rng.integers(1, 41, n_rows),
})
taste = rng.normal(size=61)
dataset["stars"] = np.clip(np.round(3 + taste[dataset.recipe_id]), 1, 5)
dataset.loc[0, ["recipe_id", "cook_id"]] = [60, 40]

train = dataset.sample(frac=0.8, random_state=1)
test = dataset.drop(train.index)

n_cooks = len(dataset.cook_id.unique())  # <- cause
n_recipes = len(dataset.recipe_id.unique())  # <- cause
print(n_cooks, n_recipes)

# recipe side
recipe_input = Input(shape=(1,), name="Recipe-Input")
recipe_embedding = Embedding(n_recipes, 5, name="Recipe-Embedding")(recipe_input)  # <- cause
recipe_vec = Flatten(name="Flatten-Recipes")(recipe_embedding)

# cook side
cook_input = Input(shape=(1,), name="Cook-Input")
cook_embedding = Embedding(n_cooks, 5, name="Cook-Embedding")(cook_input)  # <- cause
cook_vec = Flatten(name="Flatten-Cooks")(cook_embedding)

prod = Dot(name="Dot-Product", axes=1)([recipe_vec, cook_vec])
out = Dense(1)(prod)
model = Model([cook_input, recipe_input], out)
model.compile("adam", "mean_squared_error")

history = model.fit([train.cook_id.to_numpy(), train.recipe_id.to_numpy()],
                    train.stars.to_numpy(), epochs=2, batch_size=64, verbose=2)
print(model.evaluate([test.cook_id.to_numpy(), test.recipe_id.to_numpy()],
                     test.stars.to_numpy(), verbose=0))
