"""What Keras says when it saves or loads a model. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

_MODEL = "model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])\n"
_TAKES_AN_OBJECT = """\
class Scale(keras.layers.Layer):
    def __init__(self, by):
        super().__init__()
    def call(self, x):
        return x
Scale(object()).get_config()"""
_HOLDS_AN_OBJECT = """\
class Rate:
    pass
class Scale(keras.layers.Layer):
    def call(self, x):
        return x
    def get_config(self):
        return {**super().get_config(), "by": Rate()}
keras.Sequential([keras.Input((1,)), Scale()])"""
_CLASS = """\
class Scale(keras.layers.Layer):
    def call(self, x):
        return x
keras.Sequential([keras.Input((1,)), Scale()]).save("model.{0}")
keras.models.load_model("model.{0}")"""
_FUNCTION = """\
def far(a, b):
    return (a - b) ** 2
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
model.compile("sgd", far)
model.save("model.{0}")
keras.models.load_model("model.{0}")"""
_NEEDS_MORE = """\
@keras.saving.register_keras_serializable()
class {}(keras.layers.Layer):
    def __init__(self, units, **others):
        super().__init__(**others)
    def call(self, x):
        return x
    def get_config(self):
        return super().get_config()
keras.Sequential([keras.Input((1,)), {}(1)]).save("model.keras")
keras.models.load_model("model.keras")"""

# The name of the file.

MODEL_ENDING = Text(
    "keras",
    r"Invalid filepath extension for saving",
    "Invalid filepath extension for saving. Received: filepath=model.",
    seen=("keras 3.15",),
    provoked_by=_MODEL + 'model.save("model")',
)
WEIGHTS_ENDING = Text(
    "keras",
    r"filename must end in `\.weights\.h5`",
    "The filename must end in `.weights.h5`. Received: filepath=model.ckpt",
    seen=("keras 3.15",),
    provoked_by=_MODEL + 'model.save_weights("model.ckpt")',
)
CHECKPOINT_WEIGHTS_ENDING = Text(
    "keras",
    r"filepath provided must end in `\.weights\.h5`",
    "the filepath provided must end in `.weights.h5` (Keras weights format). Received: filepath=model",
    seen=("keras 3.15",),
    provoked_by='keras.callbacks.ModelCheckpoint("model", save_weights_only=True)',
)
CHECKPOINT_ENDING = Text(
    "keras",
    r"filepath provided must end in `\.keras`",
    "The filepath provided must end in `.keras` (Keras model format). Received: filepath=model",
    seen=("keras 3.15",),
    provoked_by='keras.callbacks.ModelCheckpoint("model")',
)
PATH_RECEIVED = Text(
    "keras",
    r"filepath=(\S+?)\.?\s*(?:$|\n)",
    "The filename must end in `.weights.h5`. Received: filepath=model.ckpt",
    seen=("keras 3.15",),
    provoked_by=_MODEL + 'model.save("model")',
)
LOADED_FROM = Text(
    "keras",
    r"(?:(?:File not found|File format not supported): filepath=)(\S+?)\.?(?:\s|$)",
    "File not found: filepath=model.keras. Please ensure the file is an accessible `.keras` zip file.",
    seen=("keras 3.15",),
    provoked_by='keras.models.load_model("model.keras")',
)
LOADED_FROM_2 = Text(
    "tf_keras",
    r"Unable to create a (?:TF-)?Keras model from SavedModel at (\S+?)\.?(?:\s|$)",
    "Unable to create a TF-Keras model from SavedModel at model. This SavedModel was exported with "
    "`tf.saved_model.save`",
    seen=("tf_keras 2.21",),
    provoked_by=_MODEL + 'tf.saved_model.save(model, "model")\nkeras.models.load_model("model")',
)
PLAIN_EXPORT_2 = Text(
    "tf_keras",
    r"was exported with `tf\.saved_model\.save`",
    "This SavedModel was exported with `tf.saved_model.save`, and lacks the TF-Keras metadata file.",
    seen=("tf_keras 2.21",),
    provoked_by=LOADED_FROM_2.provoked_by,
)
PATH_IN_TEXT = Text(
    "keras",
    r"(?:filepath=|from SavedModel at )(\S+?)\.?(?:\s|$)",
    LOADED_FROM.example,
    seen=("keras 3.15",),
    provoked_by='keras.models.load_model("model.keras")',
)

# What cannot be written.

NO_CONFIG = Text(
    "keras",
    r"Object (\w+) was created by passing\s+non-serializable argument values",
    "Object Scale was created by passing\nnon-serializable argument values in `__init__()`",
    seen=("keras 3.15",),
    provoked_by=_TAKES_AN_OBJECT,
)
NO_CONFIG_2 = Text(
    "tf_keras",
    r"Layer (\w+) was created by passing[\s\S]*?must\s+override `get_config\b",
    "Layer Scale was created by passing\nnon-serializable argument values in `__init__()`,\n"
    "and therefore the layer must override `get_config()`",
    seen=("tf_keras 2.21",),
    provoked_by=_TAKES_AN_OBJECT,
)
UNWRITABLE = Text(
    "keras",
    r"Cannot serialize object [\s\S]*? of type <class '(?:[\w.<>]+\.)?(\w+)'>",
    "Cannot serialize object <__main__.Rate object at 0x7f2e> of type <class '__main__.Rate'>.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_HOLDS_AN_OBJECT + '.save("model.keras")',
)
UNWRITABLE_AS_JSON = Text(
    "keras",
    r"Unable to serialize [\s\S]*? to JSON\. Unrecognized type <class '(?:[\w.<>]+\.)?(\w+)'>",
    "Unable to serialize <__main__.Rate object at 0x7f2e> to JSON. Unrecognized type <class '__main__.Rate'>.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_HOLDS_AN_OBJECT + '.save("model.h5")',
)

# What is not known when it is read.

NOT_LOCATED = Text(
    "keras",
    r"Could not locate (?P<kind>class|function) '(?P<name>[^']+)'",
    "Could not locate class 'Scale'. Make sure custom classes and functions are decorated",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_FUNCTION.format("keras"),
)
NOT_LOCATED_2 = Text(
    "tf_keras",
    r"Cannot deserialize object of type `(?P<name>\w+)`\. If `\w+` is a custom (?P<kind>class)",
    "Cannot deserialize object of type `Scale`. If `Scale` is a custom class, please register it",
    seen=("tf_keras 2.21",),
    provoked_by=_CLASS.format("keras"),
)
UNKNOWN = Text(
    "keras",
    r"Unknown (?P<kind>layer|optimizer|metric function|metric|loss function|loss|activation function|activation|"
    r"initializer|regularizer|constraint|object)s?: '?(?P<name>[\w>.]+)'?",
    "Unknown layer: 'Scale'. Please ensure you are using a `keras.utils.custom_object_scope`",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_CLASS.format("h5"),
)
LAMBDA = Text(
    "keras",
    r"deserialization of a `Lambda` layer",
    "Requested the deserialization of a `Lambda` layer whose `function` is a Python lambda.",
    seen=("keras 3.15",),
    provoked_by="""\
keras.Sequential([keras.Input((1,)), keras.layers.Lambda(lambda x: x)]).save("model.keras")
keras.models.load_model("model.keras")""",
)
LAMBDA_2 = Text(
    "tf_keras",
    r"deserialization of a Lambda layer",
    "Requested the deserialization of a Lambda layer with a Python `lambda` inside it.",
    seen=("tf_keras 2.21",),
    provoked_by=LAMBDA.provoked_by,
)
NOT_DESERIALIZED = Text(
    "keras",
    r"could not be deserialized properly",
    "<class 'Scale'> could not be deserialized properly.",
    seen=("keras 3.15",),
    provoked_by=_NEEDS_MORE.format("Scale", "Scale"),
)
CLASS_NOT_DESERIALIZED = Text(
    "keras",
    r"Error when deserializing class",
    "Error when deserializing class 'Scale' using config={'name': 'scale'}.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_NEEDS_MORE.format("Scales", "Scales"),
)
NOT_REVIVED = Text(
    "keras",
    r"Unable to revive",
    "Unable to revive model from config. When overriding the `get_config()` method, make sure that",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by="""\
class Scale(keras.Model):
    def __init__(self, units):
        super().__init__()
    def call(self, x):
        return x
    def get_config(self):
        return {"other": 1}
Scale.from_config(Scale(1).get_config())""",
)
