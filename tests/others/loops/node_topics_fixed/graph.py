import tensorflow as tf
from keras import activations, initializers, layers, regularizers


class GraphConvolution(layers.Layer):
    """Mixes the features of each node with those of its neighbours."""

    def __init__(self, units, activation=None, use_bias=True, kernel_regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_regularizer = regularizers.get(kernel_regularizer)

    def build(self, input_shape):
        features_shape = input_shape[0]
        self.kernel = self.add_weight(
            shape=(features_shape[-1], self.units),
            initializer=initializers.GlorotUniform(),
            name="kernel",
            regularizer=self.kernel_regularizer,
        )
        if self.use_bias:
            self.bias = self.add_weight(shape=(self.units,), initializer="zeros", name="bias")
        else:
            self.bias = None

    def call(self, inputs):
        features, adjacency = inputs
        output = tf.matmul(adjacency, features)
        output = tf.matmul(output, self.kernel)
        if self.bias is not None:
            output += self.bias
        return self.activation(output)
