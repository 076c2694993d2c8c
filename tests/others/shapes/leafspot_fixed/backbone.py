from tensorflow import keras

REGISTRY = {
    "mobile": keras.applications.MobileNetV2,
    "mobile1": keras.applications.MobileNet,
}


def feature_extractor(name, side, alpha=0.35, frozen=True):
    net = REGISTRY[name](include_top=False, weights=None, alpha=alpha,
                         input_shape=(side, side, 3))
    net.trainable = not frozen
    return net
