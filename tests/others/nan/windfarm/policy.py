import numpy as np
import tensorflow as tf
from tensorflow import keras


class Reinforce:
    def __init__(self, n_actions=3, gamma=0.95, lr=5e-3, seed=0):
        keras.utils.set_random_seed(seed)
        self.n_actions = n_actions
        self.gamma = gamma
        self.rng = np.random.default_rng(seed)
        self.opt = keras.optimizers.Adam(lr)
        self.net = keras.Sequential([
            keras.Input((3,)),
            keras.layers.Dense(24, activation="tanh"),
            keras.layers.Dense(n_actions, activation="softmax"),
        ])

    def act(self, obs):
        p = self.net(obs[None]).numpy()[0].astype("float64")
        return int(self.rng.choice(self.n_actions, p=p / p.sum()))

    def returns(self, rewards):
        out = np.zeros(len(rewards), "float32")
        running = 0.0
        for i in reversed(range(len(rewards))):
            running = rewards[i] + self.gamma * running
            out[i] = running
        return (out - out.mean()) / out.std()  # <- cause

    def learn(self, obs, actions, rewards):
        adv = self.returns(rewards)
        chosen = tf.one_hot(actions, self.n_actions)
        with tf.GradientTape() as tape:
            p = tf.reduce_sum(self.net(np.stack(obs)) * chosen, axis=1)
            loss = -tf.reduce_mean(tf.math.log(p + 1e-8) * adv)
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        return float(loss)
