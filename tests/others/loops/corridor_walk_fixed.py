import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

seed = 7
gamma = 0.95
max_steps = 25
eps = np.finfo(np.float32).eps.item()
keras.utils.set_random_seed(seed)


class Corridor:
    """walk from the middle of a corridor to its right end"""

    def reset(self):
        self.pos = 0.0
        return np.array([self.pos, 1.0 - self.pos])

    def step(self, action):
        self.pos += 0.2 if action == 1 else -0.2
        done = abs(self.pos) >= 1.0
        reward = 1.0 if self.pos >= 1.0 else -0.05
        return np.array([self.pos, 1.0 - self.pos]), reward, done


env = Corridor()
inputs = layers.Input(shape=(2,))
common = layers.Dense(16, activation='relu')(inputs)
action = layers.Dense(2, activation='softmax')(common)
critic = layers.Dense(1)(common)
model = keras.Model(inputs=inputs, outputs=[action, critic])

optimizer = keras.optimizers.Adam(learning_rate=0.01)
huber_loss = keras.losses.Huber()

for episode in range(6):
    state = env.reset()
    action_probs_history, critic_value_history, rewards_history = [], [], []
    with tf.GradientTape() as tape:
        for timestep in range(max_steps):
            state = tf.expand_dims(tf.convert_to_tensor(state, tf.float32), 0)
            action_probs, critic_value = model(state)
            critic_value_history.append(critic_value[0, 0])
            chosen = np.random.choice(2, p=np.squeeze(action_probs))
            action_probs_history.append(tf.math.log(action_probs[0, chosen]))
            state, reward, done = env.step(chosen)
            rewards_history.append(reward)
            if done:
                break

        returns = []
        discounted_sum = 0
        for r in rewards_history[::-1]:
            discounted_sum = r + gamma * discounted_sum
            returns.insert(0, discounted_sum)
        returns = np.array(returns)
        returns = (returns - np.mean(returns)) / (np.std(returns) + eps)

        actor_losses, critic_losses = [], []
        for log_prob, value, ret in zip(action_probs_history, critic_value_history, returns):
            actor_losses.append(-log_prob * (ret - value))
            critic_losses.append(huber_loss(tf.expand_dims(value, 0), tf.expand_dims(tf.cast(ret, tf.float32), 0)))
        loss_value = sum(actor_losses) + sum(critic_losses)
    grads = tape.gradient(loss_value, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    print('episode', episode, 'steps', len(rewards_history), 'reward %.2f' % sum(rewards_history))
