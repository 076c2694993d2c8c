"""The sizes are known only when the traced function runs."""

import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None, None])])
def mix(first, second):
    halved = first * 0.5
    return halved + second  # <- cause


print(mix(tf.ones([6, 4]), tf.ones([6, 5])))
