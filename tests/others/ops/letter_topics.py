import numpy as np
import tensorflow as tf

rng = np.random.default_rng(8)
n_words = 30
n_topics = 4
alpha = 1.0

topic_words = rng.dirichlet(np.ones(n_words), size=n_topics)


def write(n):
    topics = rng.choice(n_topics, size=n, p=[0.4, 0.3, 0.2, 0.1])
    bags = np.stack([rng.random(n_words) < 1 - (1 - topic_words[k]) ** 12 for k in topics])
    return bags.astype(np.float32), topics


train_bags, train_topics = write(300)
test_bags, test_topics = write(60)


def fit_bernoulli(bags, topics):
    theta = np.zeros((n_topics, n_words), dtype=np.float32)
    for k in range(n_topics):
        rows = bags[topics == k]
        theta[k] = (rows.sum(axis=0) + alpha) / (len(rows) + 2 * alpha)
    return tf.constant(theta)


def fit_priors(topics):
    counts = np.bincount(topics, minlength=n_topics)
    return counts / counts.sum()  # <- cause


def log_likelihood(theta, bag):
    return tf.reduce_sum(bag * tf.math.log(theta) + (1.0 - bag) * tf.math.log(1.0 - theta), axis=1)


def predict_letter(theta, bag, priors):
    cond = log_likelihood(theta, bag)
    joint = tf.add(np.log(priors), cond)  # <- cause
    norm = tf.math.reduce_logsumexp(joint, axis=-1, keepdims=True)
    return joint - norm


theta = fit_bernoulli(train_bags, train_topics)
priors = fit_priors(train_topics)
print(theta.shape, priors)

log_probs = predict_letter(theta, test_bags[0], priors)
print(log_probs)

guesses = [int(tf.argmax(predict_letter(theta, b, priors))) for b in test_bags]
print('accuracy', np.mean(np.array(guesses) == test_topics))
