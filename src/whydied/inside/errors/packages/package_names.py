"""What pip calls the packages whose modules have another name, and modules that no package brings; runs in the user's
process.

Only names are here that are well known. A module that is not here most often has the name of its package.
"""

from __future__ import annotations

PACKAGES = {
    "Bio": "biopython",
    "Crypto": "pycryptodome",
    "IPython": "ipython",
    "MySQLdb": "mysqlclient",
    "OpenGL": "PyOpenGL",
    "PIL": "Pillow",
    "absl": "absl-py",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "fitz": "PyMuPDF",
    "git": "GitPython",
    "google.protobuf": "protobuf",
    "imblearn": "imbalanced-learn",
    "jax": "jax",
    "jwt": "PyJWT",
    "keras_cv": "keras-cv",
    "keras_hub": "keras-hub",
    "keras_nlp": "keras-nlp",
    "keras_tuner": "keras-tuner",
    "lightning_fabric": "lightning",
    "magic": "python-magic",
    "mpl_toolkits": "matplotlib",
    "pkg_resources": "setuptools",
    "pl_bolts": "lightning-bolts",
    "psycopg2": "psycopg2-binary",
    "pydot": "pydot",
    "pytorch_lightning": "pytorch-lightning",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "skopt": "scikit-optimize",
    "skvideo": "sk-video",
    "tables": "tables",
    "tensorflow_datasets": "tensorflow-datasets",
    "tensorflow_decision_forests": "tensorflow-decision-forests",
    "tensorflow_hub": "tensorflow-hub",
    "tensorflow_io": "tensorflow-io",
    "tensorflow_model_optimization": "tensorflow-model-optimization",
    "tensorflow_probability": "tensorflow-probability",
    "tensorflow_text": "tensorflow-text",
    "tf2onnx": "tf2onnx",
    "tf_keras": "tf-keras",
    "umap": "umap-learn",
    "usb": "pyusb",
    "wx": "wxPython",
    "yaml": "PyYAML",
    "zmq": "pyzmq",
}
NOTES = {
    "tensorflow_addons": "TensorFlow Addons ended in 2024, and its last release is for TensorFlow up to 2.15: use what "
    "Keras has of it (`keras.layers.GroupNormalization`, `keras.optimizers.AdamW`, `keras.metrics.F1Score`)",
    "kerastuner": "it is called `keras_tuner` now: `import keras_tuner`, `pip install keras-tuner`",
    "google.colab": "this module exists only in Google Colab: leave it out when the program runs elsewhere",
    "keras_preprocessing": "its functions are in Keras itself: `keras.utils` and `keras.preprocessing`",
    "keras_applications": "its models are in Keras itself: `keras.applications`",
    "tensorflow_docs": "it is not on PyPI: `pip install git+https://github.com/tensorflow/docs`",
}
"""Modules for which installing is not the answer, or not the whole."""
SYSTEM = {
    "libGL.so.1": ("libgl1", "opencv-python-headless"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "opencv-python-headless"),
    "libSM.so.6": ("libsm6", "opencv-python-headless"),
    "libXext.so.6": ("libxext6", "opencv-python-headless"),
    "libgomp.so.1": ("libgomp1", ""),
    "libsndfile.so": ("libsndfile1", ""),
}
"""By a library of the system: its package on Debian and Ubuntu, and the package of Python that does without it."""
