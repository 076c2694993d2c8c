"""Actor-critic with a thread that predicts for all agents."""

import queue
import threading
import time

import numpy as np
import tensorflow as tf

STATE, ACTIONS = 12, 4


class NetworkVP:
    def __init__(self):
        inputs = tf.keras.Input((STATE,))
        x = tf.keras.layers.Dense(32, activation="relu")(inputs)
        policy = tf.keras.layers.Dense(ACTIONS, activation="softmax")(x)
        self.model = tf.keras.Model(inputs, policy)

    def predict(self, states):
        return self.model(states).numpy()


class ThreadPredictor(threading.Thread):
    def __init__(self, server):
        super().__init__(name="predictor")
        self.server = server
        self.exit_flag = False

    def run(self):
        while not self.exit_flag:
            try:
                agent, state = self.server.prediction_q.get(timeout=0.1)
            except queue.Empty:
                continue
            policy = self.server.network.predict(state[None])[0]
            self.server.answers[agent].put(policy)


class Agent(threading.Thread):
    def __init__(self, number, server, episodes=15):
        super().__init__(name=f"agent-{number}")
        self.number, self.server, self.episodes = number, server, episodes

    def run(self):
        rng = np.random.default_rng(self.number)
        for _ in range(self.episodes):
            self.server.prediction_q.put((self.number, rng.normal(size=STATE).astype(np.float32)))
            policy = self.server.answers[self.number].get()
            self.server.scores.append(float(policy.max()))


class Server:
    def __init__(self, agents=3):
        self.network = NetworkVP()
        self.prediction_q = queue.Queue(maxsize=100)
        self.answers = [queue.Queue() for _ in range(agents)]
        self.scores = []
        self.agents = [Agent(number, self) for number in range(agents)]
        self.predictor = ThreadPredictor(self)

    def main(self):
        self.predictor.start()
        for agent in self.agents:
            agent.start()
        for agent in self.agents:
            agent.join()
        time.sleep(0.2)
        self.predictor.exit_flag = True
        self.predictor.join()
        print("mean score", np.mean(self.scores))


if __name__ == "__main__":
    Server().main()
