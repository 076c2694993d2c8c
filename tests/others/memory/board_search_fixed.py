import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

SIDE = 96
ACTIONS = SIDE * SIDE + 1
GAMES, SIMULATIONS, MOVES = 2, 40, 30


class Board:
    """Two players put stones on a field; whoever has more in the middle wins."""

    def start(self):
        return np.zeros((SIDE, SIDE), "int8")

    def after(self, board, player, action):
        board = board.copy()
        if action < SIDE * SIDE:
            board[divmod(action, SIDE)] = player
        return board, -player

    def allowed(self, board):
        return np.append(board.ravel() == 0, True).astype("float64")

    def result(self, board, moves):
        return 0 if moves < MOVES else np.sign(board[32:64, 32:64].sum()) or 1e-4


def policy_network():
    board = keras.Input((SIDE, SIDE, 1))
    x = keras.layers.Flatten()(keras.layers.Conv2D(2, 12, strides=12, activation="relu")(board))
    return keras.Model(
        board, [keras.layers.Dense(ACTIONS, activation="softmax")(x), keras.layers.Dense(1, activation="tanh")(x)]
    )


class Search:
    """Monte-Carlo tree search guided by a network."""

    def __init__(self, game, network):
        self.game, self.network = game, network
        self.Qsa, self.Nsa, self.Ns = {}, {}, {}
        self.Ps, self.Vs = {}, {}

    def action(self, board, player, moves):
        for _ in range(SIMULATIONS):
            self.visit(board * player, moves)
        state = (board * player).tobytes()
        counts = [self.Nsa.get((state, a), 0) for a in range(ACTIONS)]
        return int(np.argmax(counts))

    def visit(self, board, moves):
        state = board.tobytes()
        value = self.game.result(board, moves)
        if value != 0:
            return -value
        if state not in self.Ps:
            policy, value = self.network(board[None, :, :, None].astype("float32"))
            allowed = self.game.allowed(board)
            self.Ps[state] = np.asarray(policy[0], "float64") * allowed
            self.Vs[state] = allowed
            self.Ns[state] = 0
            return -float(value[0, 0])
        noise = np.random.uniform(0, 1e-3, ACTIONS)
        spread = (self.Ps[state] + noise) * self.Vs[state] * np.sqrt(self.Ns[state] + 1)
        action = int(np.argmax(spread))
        after, _ = self.game.after(board, 1, action)
        value = self.visit(-after, moves + 1)
        self.Nsa[state, action] = self.Nsa.get((state, action), 0) + 1
        self.Ns[state] += 1
        return -value


def arena(networks, games):
    game, wins = Board(), 0
    for number in range(games):
        board, player = game.start(), 1 if number % 2 else -1
        first, second = (Search(game, network) for network in networks)
        for moves in range(MOVES):
            chooser = first if player == 1 else second
            board, player = game.after(board, player, chooser.action(board, player, moves))
        wins += game.result(board, MOVES) > 0
        print("game", number, "wins", wins, flush=True)
    return wins


def main():
    old, new = policy_network(), policy_network()
    print("won", arena((old, new), GAMES), "of", GAMES)


main()
