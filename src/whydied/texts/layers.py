"""What Keras says of layers and models that break its rules or are used too early. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

_UNBUILT = "keras.Sequential([keras.layers.Dense(1)])"
_WITHOUT_SUPER = """\
class Scale(keras.layers.Layer):
    def __init__(self):
        self.inner = keras.layers.Dense(1)
    def call(self, x):
        return x
Scale()(np.zeros((1, 1), "float32"))"""
_NO_METHOD_CALL = """\
class Scale(keras.{}):
    pass
Scale()(np.zeros((1, 1), "float32"))"""
_TRAINED = "model.fit(np.zeros((2, 1)), np.zeros((2, 1)), verbose=0)"

NO_SUPER = Text(
    "keras",
    r"In layer '(\w+)', you forgot to call `super\(\)\.__init__\(\)`",
    "In layer 'Scale', you forgot to call `super().__init__()` as the first statement in the `__init__()` method.",
    seen=("keras 3.15",),
    provoked_by=_WITHOUT_SUPER,
)
NO_SUPER_2 = Text(
    "tf_keras",
    r"[Yy]ou must call `super\(\)\.__init__\(\)`",
    "You must call `super().__init__()` in the layer constructor.",
    seen=("tf_keras 2.21",),
    provoked_by=_WITHOUT_SUPER,
)
NO_SUPER_OF_MODEL_2 = Text(
    "tf_keras",
    r"forgot to call `super\(\)\.__init__\(\)`",
    "It looks like you are subclassing `Model` and you forgot to call `super().__init__()`.",
    seen=("tf_keras 2.21",),
    provoked_by=_WITHOUT_SUPER.replace("layers.Layer", "Model"),
)
NO_CALL = Text(
    "keras",
    r"(?:Layer|Model) (\w+) does not have a `call(?:\(\))?` method",
    "Layer Scale does not have a `call` method implemented.",
    seen=("keras 3.15",),
    provoked_by=_NO_METHOD_CALL.format("layers.Layer"),
)
NO_CALL_2 = Text(
    "tf_keras",
    r"calling layer \S+ \(type (\w+)\)\.\s+Unimplemented `tf\.keras\.Model\.call\(\)`",
    "Exception encountered when calling layer 'scale' (type Scale).\n\nUnimplemented `tf.keras.Model.call()`",
    seen=("tf_keras 2.21",),
    provoked_by=_NO_METHOD_CALL.format("Model"),
)

# Variables or layers that are made in each call.

STATE_AFTER_BUILD = Text(
    "keras",
    r"cannot add new elements of state",
    "You cannot add new elements of state (variables or sub-layers) to a layer that is already built.",
    seen=("keras 3.15",),
    provoked_by="""\
class Scale(keras.layers.Layer):
    def call(self, x):
        self.weight = self.add_weight(shape=(1,))
        return x
Scale()(np.zeros((1, 1), "float32"))""",
)
VARIABLES_IN_FUNCTION = Text(
    "tensorflow",
    r"only supports singleton tf\.Variables created on the first call",
    "tf.function only supports singleton tf.Variables created on the first call.",
    seen=("tensorflow 2.21",),
    provoked_by="tf.function(lambda: tf.Variable(1.0))()",
)
VARIABLES_IN_LATER_CALL = Text(
    "tensorflow",
    r"Creating variables on a non-first call",
    "Creating variables on a non-first call to a function decorated with tf.function.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
made = []
@tf.function
def makes(late):
    if late:
        made.append(tf.Variable(1.0))
makes(False)
makes(True)""",
)

VARIABLE_OF_A_TRACED_VALUE = Text(
    "tensorflow",
    r"could not be lifted out of a `tf\.function`",
    "Argument `initial_value` (Tensor(x:0)) could not be lifted out of a `tf.function`.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default():
    tf.cond(v1.placeholder(tf.bool), lambda: tf.Variable(tf.constant(1.0)) + 0, lambda: tf.constant(1.0))""",
)

# Too early.

NOT_COMPILED = Text(
    "keras",
    r"must call `compile\(\)` before",
    "You must call `compile()` before using the model.",
    seen=("keras 3.15",),
    provoked_by=f"model = {_UNBUILT}\n{_TRAINED}",
)
NOT_COMPILED_2 = Text(
    "tf_keras",
    r"must compile your model before",
    "You must compile your model before training/testing.",
    seen=("tf_keras 2.21",),
    provoked_by=NOT_COMPILED.provoked_by,
)
NOT_YET_BUILT = Text(
    "keras",
    r"has not yet been built",
    "You are saving a model that has not yet been built.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=f'model = {_UNBUILT}\nmodel.save_weights("a.weights.h5")\nmodel.summary()',
)
LAYER_NOT_BUILT = Text(
    "keras",
    r"the layer isn't built",
    "You tried to call `count_params` on layer 'dense', but the layer isn't built.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by="keras.layers.Dense(1).count_params()",
)
ACCESSED_BEFORE_BUILD = Text(
    "keras",
    r"must build the layer before accessing",
    "You must build the layer before accessing `kernel`.",
    seen=("keras 3.15",),
    provoked_by="keras.layers.Dense(1).kernel",
)
NO_INPUT_SHAPE = Text(
    "keras",
    r"has no defined input shape",
    "Sequential model 'sequential' has no defined input shape yet.",
    seen=("keras 3.15",),
    provoked_by=f"{_UNBUILT}.input_shape",
)
NEVER_CALLED = Text(
    "keras",
    r"has never been called",
    "The layer dense has never been called and thus has no defined output.",
    seen=("keras 3.15",),
    provoked_by="keras.layers.Dense(1).output",
)
NAMED = Text(
    "keras",
    r"(?:layer|model|Layer|Model) '([\w.\-]+)'",
    "You tried to call `count_params` on layer 'dense', but the layer isn't built.",
    seen=("keras 3.15",),
    provoked_by="keras.layers.Dense(1).count_params()",
)

# What a layer is given.

GOT_NONE = Text(
    "keras",
    r"Inputs to a layer should be tensors\. Got '?None'?",
    "Inputs to a layer should be tensors. Got 'None' (of type <class 'NoneType'>) as input for layer 'dense'.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by="keras.layers.Dense(1)(None)",
)
NOT_A_LAYER = Text(
    "keras",
    r"Only instances of `?keras\.Layer`? can be added to a Sequential model\. Received: (.+?) \(of type",
    "Only instances of `keras.Layer` can be added to a Sequential model. Received: 1 (of type <class 'int'>)",
    seen=("keras 3.15",),
    provoked_by="keras.Sequential([1])",
)
NO_SUCH_LAYER = Text(
    "keras",
    r"(?:No such layer|Missing data for (?:input|output)):? [\"'`]?(?P<name>[\w./-]+?)[\"'`]?\. "
    r"[^\[]*\[(?P<there>[^\]]*)\]",
    "No such layer: haed. Existing layers are: ['head'].",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by='keras.Sequential([keras.layers.Dense(1, name="head")]).get_layer("haed")',
)
