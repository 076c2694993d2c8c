from tensorflow import keras

REGISTRY = {
    "mobile": keras.applications.MobileNetV2,
    "mobile1": keras.applications.MobileNet,
}


def feature_extractor(name, alpha=0.35, frozen=True):
    net = REGISTRY[name](include_top=False, weights=None, alpha=alpha)  # <- cause
    net.trainable = not frozen
    return net
