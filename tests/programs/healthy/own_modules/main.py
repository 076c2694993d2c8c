"""The twin of hides_keras: the file has a name of its own."""

import tensorflow as tf

from small_nets import small_net

print(small_net(3)(tf.ones((2, 3))).shape)
