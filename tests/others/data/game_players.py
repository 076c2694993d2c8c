import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras.layers import Dense, Dot, Embedding, Flatten, Input
from tensorflow.keras.models import Model

tf.keras.utils.set_random_seed(3)
rng = np.random.RandomState(3)
n = 1500
dataset = pd.DataFrame({
    'game_id': rng.permutation(np.resize(np.arange(1, 201), n)),
    'player_id': rng.permutation(np.resize(np.arange(1, 121), n)),
})
taste = rng.rand(200)
dataset['rating'] = np.clip(np.round(1 + 4 * taste[dataset.game_id - 1]), 1, 5)

train = dataset.sample(frac=0.8, random_state=1)
test = dataset.drop(train.index)

n_players = dataset.player_id.nunique()
n_games = dataset.game_id.nunique()

game_input = Input(shape=[1], name='Game-Input')
game_embedding = Embedding(n_games, 5, name='Game-Embedding')(game_input)  # <- cause
game_vec = Flatten(name='Flatten-Games')(game_embedding)

player_input = Input(shape=[1], name='Player-Input')
player_embedding = Embedding(n_players, 5, name='Player-Embedding')(player_input)  # <- cause
player_vec = Flatten(name='Flatten-Players')(player_embedding)

prod = Dot(name='Dot-Product', axes=1)([game_vec, player_vec])
out = Dense(1)(prod)
model = Model([player_input, game_input], out)
model.compile('adam', 'mean_squared_error')

history = model.fit([train.player_id, train.game_id], train.rating, batch_size=64, epochs=3, verbose=2)
print(model.evaluate([test.player_id, test.game_id], test.rating, verbose=0))
