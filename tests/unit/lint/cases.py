"""Code for each rule of `whydied lint`: pieces that have its fault, and near misses that do almost the same."""

from __future__ import annotations

from typing import NamedTuple


class Cases(NamedTuple):
    """`faulty` maps a piece of code to the source lines that the rule points at."""

    faulty: dict[str, list[str]]
    healthy: list[str]


_V1 = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"
_ARRAYS = "import numpy as np\nimport tensorflow as tf\n"
_CONV = """
import tensorflow as tf
(x_train, y_train), (x_test, y_test) = tf.keras.datasets.cifar10.load_data()
x_train, x_test = x_train / 255.0, x_test.astype("float32") / 255.0
model = tf.keras.Sequential([{layer}, tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x_train, y_train, batch_size=64)
{call}
"""
_CONV_LAYER = "tf.keras.layers.Conv2D(64, 3)"
_TRACED = """
import tensorflow as tf
{decorator}
def scaled(x, rate):
    return x * rate
for step in range({rounds}):
    scaled(tf.ones(3), {rate})
"""
_ROWS = """
import numpy as np
import keras
model = keras.Sequential([keras.layers.Dense(1)])
x = np.load("x.npy")
for i in range({rounds}):
    {call}
"""
_TRIALS = """
import keras
def make(units):
    return keras.Sequential([keras.layers.Dense(units)])
for trial in range({rounds}):
    {first}
    model = make(trial + 1)
    model.compile("sgd", "mse")
    model.fit(x, y)
    {last}
"""
_PICTURES = """
import tensorflow as tf
def load(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path), channels=3), [224, 224])
paths = sorted(names)
data = tf.data.Dataset.list_files("{files}"){steps}
"""
_MODEL = """
import tensorflow as tf
from tensorflow import keras
{made}
model.compile("sgd", loss={loss})
model.fit(x, {labels})
"""
_SEQUENTIAL = "model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense({units}, activation={activation})])"
_SUBCLASS = """
import tensorflow as tf
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.last = tf.keras.layers.Dense(10{activation})
    def call(self, x):
        return self.last(x)
net = Net()
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy({given})
loss = loss_fn(y, net(x))
"""
_ACCUMULATED = """
import tensorflow as tf
totals = [tf.Variable(tf.zeros_like(one)) for one in model.trainable_variables]
for step, (x, y) in enumerate(data):
    with tf.GradientTape() as tape:
        value = loss_fn(y, model(x))
    gradients = tape.gradient(value, model.trainable_variables)
    for total, gradient in zip(totals, gradients):
        total.assign_add(gradient{divided})
    if step % 4 == 3:
        optimizer.apply_gradients(zip(totals, model.trainable_variables))
        {reset}
"""
_RESET = "[total.assign(tf.zeros_like(total)) for total in totals]"
_FORKED = """
import multiprocessing
import tensorflow as tf
{before}
def work(x):
    return {body}
with {pool} as pool:
    pool.map(work, items)
"""


def _model(units: object, activation: str, loss: str, labels: str = "y") -> str:
    made = _SEQUENTIAL.format(units=units, activation=activation)
    return _MODEL.format(made=made, loss=loss, labels=labels)


def _loss(body: str, name: str = "own_loss") -> str:
    return (
        f"import tensorflow as tf\ndef {name}(y_true, y_pred):\n    return {body}\nmodel.compile('sgd', loss={name})\n"
    )


CASES: dict[str, Cases] = {
    "LNT004": Cases(
        {
            _CONV.format(layer=_CONV_LAYER, call="out = model(x_test)"): ["out = model(x_test)"],
            _CONV.format(layer=_CONV_LAYER, call="out = model.predict_on_batch(x_test)"): [
                "out = model.predict_on_batch(x_test)"
            ],
            f"{_V1}h = tf.nn.conv2d(x, w, 1, 'SAME')\nb = mnist.train.next_batch(50)\n"
            "sess = tf.Session()\nsess.run(a, feed_dict={x: mnist.test.images})\n": [
                "sess.run(a, feed_dict={x: mnist.test.images})"
            ],
        },
        [
            _CONV.format(layer=_CONV_LAYER, call="out = model(x_test[:32])"),
            _CONV.format(layer=_CONV_LAYER, call="out = model.predict(x_test)"),
            _CONV.format(layer="tf.keras.layers.Dense(8)", call="out = model(x_test)"),
            f"{_V1}h = tf.nn.conv2d(x, w, 1, 'SAME')\nb = mnist.train.next_batch(50)\n"
            "sess = tf.Session()\nsess.run(a, feed_dict={x: mnist.test.images[:256]})\n",
        ],
    ),
    "LNT005": Cases(
        {
            _TRACED.format(decorator="@tf.function", rounds=100, rate="step"): ["scaled(tf.ones(3), step)"],
            _TRACED.format(decorator="@tf.function", rounds=100, rate="rate=0.5 * step"): [
                "scaled(tf.ones(3), rate=0.5 * step)"
            ],
            "import tensorflow as tf\nfor x in data:\n    f = tf.function(compute)\n    f(x)\n": [
                "f = tf.function(compute)"
            ],
            "import tensorflow as tf\nwhile True:\n    @tf.function\n    def f(x):\n        return x\n    f(1)\n": [
                "@tf.function"
            ],
        },
        [
            _TRACED.format(decorator="@tf.function", rounds=100, rate="tf.constant(step)"),
            _TRACED.format(decorator="@tf.function", rounds=5, rate="step"),
            _TRACED.format(decorator="", rounds=100, rate="step"),
            _TRACED.format(decorator="@tf.function(input_signature=SIGNATURE)", rounds=100, rate="step"),
            _TRACED.format(decorator="@tf.function", rounds=100, rate="0.5"),
            "import tensorflow as tf\nfor x in data:\n    made[x] = tf.function(compute)\n",
        ],
    ),
    "LNT006": Cases(
        {
            _ROWS.format(rounds="len(x)", call="model.predict(x[i:i + 1])"): ["model.predict(x[i:i + 1])"],
            _ROWS.format(rounds="len(x)", call="row = x[i].reshape(1, -1); model.predict(row)"): [
                "row = x[i].reshape(1, -1); model.predict(row)"
            ],
            "import keras\n(a, b), (x, y) = keras.datasets.mnist.load_data()\nm = keras.models.load_model('m')\n"
            "out = [m.predict(row[None]) for row in x]\n": ["out = [m.predict(row[None]) for row in x]"],
        },
        [
            _ROWS.format(rounds="len(x)", call="model.predict(x[i:i + 32])"),
            _ROWS.format(rounds=9, call="model.predict(x[i:i + 1])"),
            _ROWS.format(rounds="len(x)", call="model(x[i:i + 1])"),
            _ROWS.format(rounds="len(x)", call="state = model.predict(state[None])[0]"),
        ],
    ),
    "LNT007": Cases(
        {
            _TRIALS.format(rounds=100, first="pass", last="pass"): ["model = make(trial + 1)"],
            _TRIALS.format(rounds="trials", first="pass", last="del model"): ["model = make(trial + 1)"],
        },
        [
            _TRIALS.format(rounds=100, first="keras.backend.clear_session()", last="pass"),
            _TRIALS.format(rounds=5, first="pass", last="pass"),
            _TRIALS.format(rounds=100, first="pass", last="models.append(model)"),
            _TRIALS.format(rounds=100, first="pass", last="pass").replace("model.fit(x, y)", "model.summary()"),
        ],
    ),
    "LNT008": Cases(
        {
            "import numpy as np\nimport tensorflow as tf\nx = np.load('x.npy')\nt = tf.constant(np.array(x))\n": [
                "t = tf.constant(np.array(x))"
            ],
            f"{_ARRAYS}x = np.zeros(9)\ny = x.copy()\nt = tf.convert_to_tensor(y)\n": ["y = x.copy()"],
        },
        [
            "import numpy as np\nimport tensorflow as tf\nx = [1, 2]\nt = tf.constant(np.array(x))\n",
            f"{_ARRAYS}x = np.load('x.npy')\nt = tf.constant(np.array(x, np.float32))\n",
            f"{_ARRAYS}x = np.zeros(9)\ny = x.copy()\ny[0] = 1\nt = tf.constant(y)\n",
        ],
    ),
    "LNT009": Cases(
        {
            "import numpy as np\nimport keras\nN = 60_000\nx = np.random.rand(N, 64, 64, 3)\nmodel.fit(x, y)\n": [
                "x = np.random.rand(N, 64, 64, 3)"
            ],
            "import numpy as np\nimport keras\nmodel.predict(np.zeros((50_000, 1000)))\n": [
                "model.predict(np.zeros((50_000, 1000)))"
            ],
        },
        [
            "import numpy as np\nimport keras\nx = np.zeros((60_000, 1000), dtype=np.float32)\nmodel.fit(x, y)\n",
            "import numpy as np\nimport keras\nx = np.random.rand(60_000, 1000).astype('float32')\nmodel.fit(x, y)\n",
            "import numpy as np\nimport keras\nx = np.random.rand(600, 1000)\nmodel.fit(x, y)\n",
            "import numpy as np\nimport keras\nx = np.random.rand(rows, 1000)\nmodel.fit(x, y)\n",
            "import numpy as np\nimport keras\nx = np.zeros((60_000, 1000))\nnp.save('x', x)\n",
        ],
    ),
    "LNT010": Cases(
        {
            _PICTURES.format(files="*.jpg", steps=".map(load).shuffle(20_000).batch(32)"): [
                'data = tf.data.Dataset.list_files("*.jpg").map(load).shuffle(20_000).batch(32)'
            ],
            _PICTURES.format(files="*.jpg", steps="\ndata = data.map(load)\ndata = data.shuffle(len(paths))"): [
                "data = data.shuffle(len(paths))"
            ],
        },
        [
            _PICTURES.format(files="*.jpg", steps=".shuffle(20_000).map(load).batch(32)"),
            _PICTURES.format(files="*.jpg", steps=".map(load).shuffle(100).batch(32)"),
            _PICTURES.format(files="*.jpg", steps=".map(load).shuffle(size).batch(32)"),
            _PICTURES.format(files="*.jpg", steps=".map(len).shuffle(20_000).batch(32)"),
        ],
    ),
    "LNT011": Cases(
        {
            _PICTURES.format(files="imagenet/*.jpg", steps=".map(load).cache()"): [
                'data = tf.data.Dataset.list_files("imagenet/*.jpg").map(load).cache()'
            ],
            _PICTURES.format(files="*.jpg", steps=".map(load).cache().shuffle(20_000)"): [
                'data = tf.data.Dataset.list_files("*.jpg").map(load).cache().shuffle(20_000)'
            ],
            _PICTURES.format(files="*.jpg", steps=".repeat().cache()"): [
                'data = tf.data.Dataset.list_files("*.jpg").repeat().cache()'
            ],
        },
        [
            _PICTURES.format(files="imagenet/*.jpg", steps=".map(load).cache('/tmp/cached')"),
            _PICTURES.format(files="imagenet/*.jpg", steps=".cache().map(load)"),
            _PICTURES.format(files="*.jpg", steps=".map(load).cache()"),
            _PICTURES.format(files="*.jpg", steps=".cache().repeat()"),
        ],
    ),
    "LNT012": Cases(
        {
            _loss("-tf.reduce_mean(tf.math.log(y_pred))"): ["return -tf.reduce_mean(tf.math.log(y_pred))"],
            _loss("tf.sqrt(tf.reduce_sum(tf.square(y_true - y_pred), axis=1))"): [
                "return tf.sqrt(tf.reduce_sum(tf.square(y_true - y_pred), axis=1))"
            ],
            "import tensorflow as tf\ndef distance(a, b):\n    return tf.norm(a - b, axis=1)\n"
            "with tf.GradientTape() as tape:\n    value = distance(a, b)\n": ["return tf.norm(a - b, axis=1)"],
            "import keras\nimport tensorflow as tf\njudge = keras.Sequential([keras.layers.Dense(1, 'sigmoid')])\n"
            "with tf.GradientTape() as tape:\n    made = judge(x)\n    fooled = -tf.reduce_mean(tf.math.log(made))\n": [
                "fooled = -tf.reduce_mean(tf.math.log(made))"
            ],
            _loss("tf.abs((y_true - y_pred) / y_true)"): ["return tf.abs((y_true - y_pred) / y_true)"],
        },
        [
            _loss("-tf.reduce_mean(tf.math.log(y_pred + 1e-7))"),
            _loss("-tf.reduce_mean(tf.math.log(tf.clip_by_value(y_pred, 1e-7, 1.0)))"),
            _loss("tf.sqrt(tf.reduce_sum(tf.square(y_true - y_pred), axis=1) + 1e-9)"),
            _loss("tf.sqrt(tf.reduce_mean(tf.square(y_true - y_pred)))"),
            _loss("tf.math.divide_no_nan(y_true - y_pred, y_true)"),
            "import tensorflow as tf\ndef distance(a, b):\n    return tf.norm(a - b, axis=1)\nprint(distance(a, b))\n",
            "import tensorflow as tf\ndef entropy_of(x):\n    return tf.math.log(x)\n",
        ],
    ),
    "LNT013": Cases(
        {
            _loss("-tf.reduce_sum(y_true * tf.math.log(y_pred), axis=1)"): [
                "return -tf.reduce_sum(y_true * tf.math.log(y_pred), axis=1)"
            ],
            "import tensorflow as tf\np = tf.nn.softmax(logits)\ncost = -tf.reduce_sum(y * tf.math.log(p))\n": [
                "cost = -tf.reduce_sum(y * tf.math.log(p))"
            ],
            "import keras\nfrom keras import ops\nm = keras.Sequential([keras.layers.Dense(3, activation='softmax')])\n"
            "p = m(x)\ncost = -ops.sum(y * ops.log(p))\n": ["cost = -ops.sum(y * ops.log(p))"],
        },
        [
            _loss("-tf.reduce_sum(y_true * tf.math.log(y_pred + 1e-9), axis=1)"),
            "import tensorflow as tf\np = tf.nn.softmax(logits)\nentropy = -tf.reduce_sum(p * tf.math.log(p))\n",
            "import tensorflow as tf\np = tf.maximum(tf.nn.softmax(z), 1e-9)\nc = -tf.reduce_sum(y * tf.math.log(p))\n",
            "import tensorflow as tf\ncost = -tf.reduce_sum(y * tf.math.log(given))\n",
        ],
    ),
    "LNT014": Cases(
        {
            _model(10, "'softmax'", "keras.losses.SparseCategoricalCrossentropy(from_logits=True)"): [
                'model.compile("sgd", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))'
            ],
            _model(1, "None", "'binary_crossentropy'"): ["model.compile(\"sgd\", loss='binary_crossentropy')"],
            _SUBCLASS.format(activation="", given=""): ["loss_fn = tf.keras.losses.SparseCategoricalCrossentropy()"],
            f"{_V1}p = tf.nn.softmax(z)\ncost = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=p)\n": [
                "cost = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=p)"
            ],
        },
        [
            _model(10, "'softmax'", "keras.losses.SparseCategoricalCrossentropy()"),
            _model(10, "None", "keras.losses.SparseCategoricalCrossentropy(from_logits=True)"),
            _model(1, "chosen", "'binary_crossentropy'"),
            _model(1, "None", "'mse'"),
            _SUBCLASS.format(activation="", given="from_logits=True"),
            _SUBCLASS.format(activation=", activation='softmax'", given=""),
        ],
    ),
    "LNT015": Cases(
        {
            _model(1, "'softmax'", "'binary_crossentropy'"): [_SEQUENTIAL.format(units=1, activation="'softmax'")],
            _model(1, "'sigmoid'", "'sparse_categorical_crossentropy'"): [
                "model.compile(\"sgd\", loss='sparse_categorical_crossentropy')"
            ],
            _model(10, "'softmax'", "'sparse_categorical_crossentropy'", "keras.utils.to_categorical(y)"): [
                "model.compile(\"sgd\", loss='sparse_categorical_crossentropy')"
            ],
            _model(5, "'softmax'", "'categorical_crossentropy'", "keras.utils.to_categorical(y, 10)"): [
                _SEQUENTIAL.format(units=5, activation="'softmax'")
            ],
            _model(10, "'softmax'", "'sparse_categorical_crossentropy'", "labels").replace(
                "model =", "(x, labels), _ = keras.datasets.cifar100.load_data()\nmodel ="
            ): [_SEQUENTIAL.format(units=10, activation="'softmax'")],
        },
        [
            _model(1, "'sigmoid'", "'binary_crossentropy'"),
            _model(10, "'softmax'", "'categorical_crossentropy'", "keras.utils.to_categorical(y, 10)"),
            _model(10, "'softmax'", "'sparse_categorical_crossentropy'", "y"),
            _model("units", "'softmax'", "'sparse_categorical_crossentropy'", "y"),
            _model(100, "'softmax'", "'sparse_categorical_crossentropy'", "labels").replace(
                "model =", "(x, labels), _ = keras.datasets.cifar100.load_data()\nmodel ="
            ),
        ],
    ),
    "LNT016": Cases(
        {
            _ACCUMULATED.format(divided=" / 4", reset="pass"): ["total.assign_add(gradient / 4)"],
            _ACCUMULATED.format(divided="", reset=_RESET): ["total.assign_add(gradient)"],
        },
        [_ACCUMULATED.format(divided=" / 4", reset=_RESET)],
    ),
    "LNT017": Cases(
        {
            _FORKED.format(
                before="print(tf.ones(3))", body="float(tf.reduce_sum(x))", pool="multiprocessing.Pool(4)"
            ): ["with multiprocessing.Pool(4) as pool:"],
        },
        [
            _FORKED.format(before="", body="float(tf.reduce_sum(x))", pool="multiprocessing.Pool(4)"),
            _FORKED.format(before="print(tf.ones(3))", body="x + 1", pool="multiprocessing.Pool(4)"),
            _FORKED.format(
                before="print(tf.ones(3))",
                body="float(tf.reduce_sum(x))",
                pool='multiprocessing.get_context("spawn").Pool(4)',
            ),
        ],
    ),
    "LNT018": Cases(
        {
            "import tensorflow as tf\nx = tf.placeholder(tf.float32)\ns = tf.Session()\n": [
                "x = tf.placeholder(tf.float32)"
            ],
            "from keras.utils import np_utils\n": ["from keras.utils import np_utils"],
            "from keras.layers.core import Dense\n": ["from keras.layers.core import Dense"],
            "import numpy as np\nx = np.zeros(3, np.float)\n": ["x = np.zeros(3, np.float)"],
            "import keras\nm = keras.Sequential()\nm.fit_generator(rows)\n": ["m.fit_generator(rows)"],
        },
        [
            "import tensorflow.compat.v1 as tf\nx = tf.placeholder(tf.float32)\ns = tf.Session()\n",
            "import tensorflow as tf\ntry:\n    s = tf.Session()\nexcept AttributeError:\n    s = None\n",
            "import tensorflow as tf\nif tf.__version__ < '2':\n    s = tf.Session()\n",
            "import tensorflow as tf\ntf.gfile = tf.io.gfile\ntf.gfile.exists('x')\n",
            "import numpy as np\nx = np.zeros(3, np.float64)\n",
            "m.fit_generator(rows)\n",
        ],
    ),
}
