"""Synthetic check-in histories and an endless stream of training batches."""
import numpy as np

WINDOW = 5


def make_histories(n_people, n_places, visits, seed):
    """One (places, hours) pair for each person."""
    rng = np.random.default_rng(seed)
    histories = []
    for _ in range(n_people):
        favourites = rng.choice(n_places, size=6, replace=False)
        places = rng.choice(favourites, size=visits)
        hours = np.cumsum(rng.exponential(6.0, size=visits))
        histories.append((places, hours))
    return histories


def sample_window(places, hours, rng):
    start = int(rng.integers(0, len(places) - WINDOW))
    stop = start + WINDOW
    gaps = np.diff(hours[start : stop + 1]) / 24.0
    return places[start:stop], gaps, places[stop]


def batch_stream(histories, batch_size, seed):
    rng = np.random.default_rng(seed)
    while True:
        recent, person, gaps, target = [], [], [], []
        for _ in range(batch_size):
            who = int(rng.integers(len(histories)))
            window, gap, following = sample_window(*histories[who], rng)
            recent.append(window)
            person.append(who)
            gaps.append(gap)
            target.append(following)
        recent = np.array(recent, dtype="int32")
        person = np.array(person, dtype="int32").reshape(-1, 1)
        gaps = np.array(gaps, dtype="float32")
        target = np.array(target, dtype="int32")
        yield (recent, person, gaps), target
