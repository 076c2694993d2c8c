import io
import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

# the csv that our logger writes (temperature, turbidity, oxygen, ... -> is the bloom warning on)
def fake_csv(n=600, seed=11):
    r = np.random.RandomState(seed)
    df = pd.DataFrame(r.normal(size=(n, 8)), columns=['temp', 'turb', 'oxy', 'ph', 'cond', 'chl', 'depth', 'wind'])
    score = df['temp'] * 1.2 - df['oxy'] * 0.8 + df['chl'] * 1.5
    df['bloom'] = (score > 0.2).astype(int)
    buf = io.StringIO()
    df.to_csv(buf, index=False)
    buf.seek(0)
    return buf

data = pd.read_csv(fake_csv())
print(data.head())
y_all = np.zeros((len(data), 2), dtype='float32')
y_all[np.arange(len(data)), data['bloom'].values] = 1
x_all = data.drop('bloom', axis=1).values.astype('float32')

class Split(object):
    """imitates the next_batch thing from the tutorial"""
    def __init__(self, x, y):
        self.images = x
        self.labels = y
        self.pos = 0

    def next_batch(self, n):
        if self.pos + n > len(self.images):
            self.pos = 0
        a, b = self.pos, self.pos + n
        self.pos += n
        return self.images[a:b], self.labels[a:b]

train = Split(x_all[:450], y_all[:450])
test = Split(x_all[450:], y_all[450:])
print('train', train.images.shape, 'test', test.images.shape)

def weight_variable(shape):
    initial = tf.truncated_normal(shape, stddev=0.1)
    return tf.Variable(initial)

def bias_variable(shape):
    initial = tf.constant(0.1, shape=shape)
    return tf.Variable(initial)

sess = tf.InteractiveSession()

x = tf.placeholder("float", shape=[None, 8])
y_ = tf.placeholder("float", shape=[None, 2])

W1 = weight_variable([8, 24])
b1 = bias_variable([24])
h1 = tf.nn.relu(tf.matmul(x, W1) + b1)

keep_prob = tf.placeholder("float")
h1_drop = tf.nn.dropout(h1, keep_prob)

W2 = weight_variable([24, 2])
b2 = bias_variable([2])
logits = tf.matmul(h1_drop, W2) + b2
y = tf.nn.softmax(logits)

cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
train_step = tf.train.AdamOptimizer(1e-2).minimize(cross_entropy)
correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct_prediction, "float"))

for i in range(200):  # <- cause
    batch = train.next_batch(50)
    if i % 50 == 0:
        train_accuracy = accuracy.eval(feed_dict={x: batch[0], y_: batch[1], keep_prob: 1.0})
        print("step %d, training accuracy %g" % (i, train_accuracy))
    train_step.run(feed_dict={x: batch[0], y_: batch[1], keep_prob: 0.8})

print("test accuracy %g" % accuracy.eval(feed_dict={x: test.images, y_: test.labels, keep_prob: 1.0}))
sess.close()
