import tensorflow.compat.v1 as tf


class EstimationNet:
    """Gives the membership of each code in the components of the mixture."""

    def __init__(self, hidden_layer_sizes, activation=tf.nn.relu):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation

    def inference(self, z, dropout_ratio=None):
        with tf.variable_scope("EstNet"):
            for n_layer, size in enumerate(self.hidden_layer_sizes[:-1], 1):
                weights = tf.get_variable(f"w{n_layer}", [z.shape[1], size])
                z = self.activation(tf.matmul(z, weights))
                if dropout_ratio is not None:
                    z = tf.nn.dropout(z, rate=dropout_ratio)
            last = tf.get_variable("last", [z.shape[1], self.hidden_layer_sizes[-1]])
            logits = tf.matmul(z, last)
            output = tf.contrib.layers.softmax(logits)  # <- cause
        return output
