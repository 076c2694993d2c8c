"""A tf.data pipeline that shuffles, maps, batches and ends (OutOfRange is no error here)."""

import tensorflow as tf

numbers = tf.data.Dataset.range(1000).shuffle(100).map(lambda n: n * n).batch(64, drop_remainder=False).prefetch(2)
total = 0
for batch in numbers:
    total += int(tf.reduce_sum(batch))
print(total == sum(n * n for n in range(1000)))
