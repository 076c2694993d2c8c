import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf


class Gathering:
    """Fruit lies left, in front or right of an agent that sees raw distances."""

    actions = 3

    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)

    def look(self):
        self.distances = self.draw.uniform(1, 400, self.actions).astype("float32")
        return self.distances

    def act(self, action):
        return 1.0 if action == int(np.argmin(self.distances)) else -0.2


class ActorCritic(keras.Model):
    def __init__(self, actions):
        super().__init__()
        self.hidden = keras.layers.Dense(16, activation="elu")
        self.policy = keras.layers.Dense(actions, activation="softmax", use_bias=False)
        self.value = keras.layers.Dense(1)

    def call(self, seen):
        hidden = self.hidden(seen)
        return self.policy(hidden), self.value(hidden / 400.0)


class Worker:
    def __init__(self, number, actions=3, rate=1e-4):
        self.world = Gathering(number)
        self.network = ActorCritic(actions)
        self.optimizer = keras.optimizers.Adam(rate)
        self.actions = actions

    def rollout(self, length):
        seen, done, paid = [], [], []
        for _ in range(length):
            looked = self.world.look()
            chances = self.network(looked[None])[0].numpy()[0]
            action = int(np.argmax(np.cumsum(chances) >= np.random.rand() * chances.sum()))
            seen.append(looked)
            done.append(action)
            paid.append(self.world.act(action))
        return np.stack(seen), np.array(done), np.array(paid, "float32")

    def update(self, seen, done, paid):
        with tf.GradientTape() as tape:
            policy, value = self.network(seen)
            value = tf.squeeze(value, -1)
            advantage = tf.stop_gradient(paid - value)
            taken = tf.reduce_sum(policy * tf.one_hot(done, self.actions), 1)
            entropy = -tf.reduce_sum(policy * tf.math.log(tf.clip_by_value(policy, 1e-20, 1.0)))
            policy_loss = -tf.reduce_sum(tf.math.log(tf.maximum(taken, 1e-20)) * advantage)
            loss = 0.5 * tf.reduce_sum(tf.square(paid - value)) + policy_loss - 0.01 * entropy
        variables = self.network.trainable_variables
        gradients = tape.gradient(loss, variables)
        clipped, norm = tf.clip_by_global_norm(gradients, 40.0)
        self.optimizer.apply_gradients(zip(clipped, variables))
        return float(loss), float(entropy), float(norm)


def main():
    keras.utils.set_random_seed(7)
    worker = Worker(0)
    for episode in range(12):
        batch = worker.rollout(20)
        loss, entropy, norm = worker.update(*batch)
        print(f"episode {episode} loss {loss:.3f} entropy {entropy:.3f} norm {norm:.2f}", flush=True)


main()
