"""Actor and critic of a small lander, with an entropy bonus."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(5)
np.random.seed(5)

STATE = 6
ACTIONS = 4
GAMMA = 0.95


class Lander:
    def reset(self):
        self.state = np.random.uniform(-1, 1, STATE).astype("float32")
        self.clock = 0
        return self.state.copy()

    def step(self, action):
        self.clock += 1
        self.state = 0.95 * self.state
        self.state[action] += 0.4
        reward = float(8.0 * self.state[1] - 4.0 * abs(self.state[0]))
        return self.state.copy(), reward, self.clock >= 20


class ActorCritic(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(64, activation="relu")
        self.policy = tf.keras.layers.Dense(ACTIONS, activation="softmax")
        self.value = tf.keras.layers.Dense(1)

    def call(self, states):
        hidden = self.hidden(states)
        return self.policy(hidden), self.value(hidden)[:, 0]


model = ActorCritic()
optimizer = tf.keras.optimizers.Adam(0.05)


@tf.function
def update(states, actions, returns):
    with tf.GradientTape() as tape:
        policy, value = model(states)
        advantage = returns - value
        chosen = tf.reduce_sum(policy * tf.one_hot(actions, ACTIONS), axis=1)
        entropy = -tf.reduce_sum(policy * tf.math.log(policy))  # <- cause
        policy_loss = -tf.reduce_sum(tf.math.log(chosen + 1e-8) * tf.stop_gradient(advantage))
        value_loss = tf.reduce_sum(tf.square(advantage))
        loss = 0.5 * value_loss + policy_loss - 0.01 * entropy
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss, entropy


@tf.function
def act(state):
    return model(state[None])[0][0]


def play(env):
    states, actions, rewards = [], [], []
    state, done = env.reset(), False
    while not done:
        policy = act(tf.constant(state)).numpy().astype("float64")
        action = np.random.choice(ACTIONS, p=policy / policy.sum())
        states.append(state)
        actions.append(action)
        state, reward, done = env.step(action)
        rewards.append(reward)
    return np.array(states), np.array(actions), np.array(rewards)


env = Lander()
for episode in range(100):
    states, actions, rewards = play(env)
    returns, running = np.zeros(len(rewards), "float32"), 0.0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + GAMMA * running
        returns[t] = running
    loss, entropy = update(states, actions, returns)
    if episode % 10 == 0:
        print(f"episode {episode}: reward {rewards.sum():.1f} loss {float(loss):.2f} entropy {float(entropy):.3f}")
print("finished")
