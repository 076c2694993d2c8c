import random

import numpy as np
import tensorflow as tf
from tensorflow import keras

from gridworld import GridWorld

batch_size = 32
update_freq = 4
gamma = 0.95
tau = 0.1
num_episodes = 8
pre_train_steps = 40
start_eps, end_eps, anneling_steps = 1.0, 0.1, 200


class ExperienceBuffer:
    def __init__(self, buffer_size=5000):
        self.buffer = []
        self.buffer_size = buffer_size

    def add(self, experience):
        if len(self.buffer) >= self.buffer_size:
            self.buffer.pop(0)
        self.buffer.append(experience)

    def sample(self, size):
        picked = random.sample(self.buffer, size)
        s, a, r, s1, d = zip(*picked)
        return np.stack(s), np.array(a), np.array(r, "float32"), np.stack(s1), np.array(d, "float32")


def q_network(env):
    return keras.Sequential([
        keras.Input(shape=(env.obs_dim,)),
        keras.layers.Dense(24, activation="relu"),
        keras.layers.Dense(env.n_actions),
    ])


def soft_update(main_qn, target_qn):
    mixed = [tau * m + (1 - tau) * t
             for m, t in zip(main_qn.get_weights(), target_qn.get_weights())]
    target_qn.set_weights(mixed)


def learn(main_qn, target_qn, optimizer, batch):
    s, a, r, s1, d = batch
    target = r + gamma * (1.0 - d) * tf.reduce_max(target_qn(s1), axis=1)
    with tf.GradientTape() as tape:
        q = tf.reduce_sum(main_qn(s) * tf.one_hot(a, main_qn.output_shape[-1]), axis=1)
        loss = tf.reduce_mean(tf.square(target - q))
    grads = tape.gradient(loss, main_qn.trainable_variables)
    optimizer.apply_gradients(zip(grads, main_qn.trainable_variables))
    return float(loss)


def run():
    random.seed(0)
    env = GridWorld()
    main_qn, target_qn = q_network(env), q_network(env)
    optimizer = keras.optimizers.Adam(1e-3)
    memory = ExperienceBuffer()
    eps, total_steps = start_eps, 0
    for episode in range(num_episodes):
        s, done, total_reward, losses = env.reset(), False, 0.0, []
        while not done:
            if random.random() < eps or total_steps < pre_train_steps:
                a = random.randrange(env.n_actions)
            else:
                a = int(np.argmax(main_qn(s[None])[0]))
            s1, r, done = env.step(a)
            total_steps += 1
            memory.add((s, a, r, s1, done))
            if total_steps > pre_train_steps:
                eps = max(end_eps, eps - (start_eps - end_eps) / anneling_steps)
                if total_steps % update_freq == 0:
                    losses.append(learn(main_qn, target_qn, optimizer, memory.sample(batch_size)))
                    soft_update(main_qn, target_qn)
            s, total_reward = s1, total_reward + r
        print("episode %d reward %.2f loss %.4f" % (episode, total_reward, np.mean(losses or [0])))


if __name__ == "__main__":
    run()
