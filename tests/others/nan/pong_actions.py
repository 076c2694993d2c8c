"""Policy gradient for a small game of catching a ball."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

np.random.seed(3)
tf.set_random_seed(3)

FIELD = 12
STATES = FIELD * FIELD
ACTIONS = 3
GAMMA = 0.99
LEARNING_RATE = 0.1
EPISODES = 400


class Paddle:
    """A ball that falls and a paddle that has to be below it."""

    def reset(self):
        self.ball = [0, np.random.randint(FIELD)]
        self.pad = np.random.randint(FIELD)
        return self.frame()

    def frame(self):
        screen = np.zeros((FIELD, FIELD), np.float32)
        screen[self.ball[0], self.ball[1]] = 1.0
        screen[FIELD - 1, self.pad] = 1.0
        return screen.ravel()

    def step(self, action):
        self.pad = int(np.clip(self.pad + action - 1, 0, FIELD - 1))
        self.ball[0] += 1
        done = self.ball[0] == FIELD - 1
        reward = 0.0
        if done:
            reward = 1.0 if abs(self.ball[1] - self.pad) <= 1 else -1.0
        return self.frame(), reward, done


def discount(rewards):
    out = np.zeros_like(rewards)
    running = 0.0
    for t in reversed(range(len(rewards))):
        running = running * GAMMA + rewards[t]
        out[t] = running
    return out


X = tf.placeholder(tf.float32, [None, STATES], name="frames")
Y = tf.placeholder(tf.float32, [None, ACTIONS], name="actions")
advantages = tf.placeholder(tf.float32, [None], name="advantages")

w1 = tf.get_variable("w1", [STATES, 128], initializer=tf.glorot_uniform_initializer())
w2 = tf.get_variable("w2", [128, ACTIONS], initializer=tf.glorot_uniform_initializer())
hidden = tf.nn.relu(tf.matmul(X, w1))
action_pred = tf.nn.softmax(tf.matmul(hidden, w2))

log_lik = -Y * tf.log(action_pred)  # <- cause
per_step = tf.reduce_sum(log_lik, axis=1) * advantages
loss = tf.reduce_mean(per_step)
train = tf.train.AdamOptimizer(LEARNING_RATE).minimize(loss)

env = Paddle()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    history = []
    for episode in range(EPISODES):
        frames, actions, rewards = [], [], []
        state, done = env.reset(), False
        while not done:
            probs = sess.run(action_pred, {X: state[None]})[0]
            action = np.random.choice(ACTIONS, p=probs / probs.sum())
            frames.append(state)
            actions.append(np.eye(ACTIONS)[action])
            state, reward, done = env.step(action)
            rewards.append(reward)
        weights = discount(np.array(rewards))
        value, _ = sess.run([loss, train], {X: np.array(frames), Y: np.array(actions), advantages: weights})
        history.append(sum(rewards))
        if episode % 20 == 0:
            print("episode", episode, "loss", value, "mean reward", np.mean(history[-20:]))
print("finished", np.mean(history[-50:]))
