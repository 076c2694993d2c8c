import sys
import tempfile
import tensorflow.compat.v1 as tf
import train_softmax
import validate

tf.disable_v2_behavior()


if __name__ == '__main__':
    model_dir = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix='otolith_')
    ckpt = train_softmax.main(model_dir)
    validate.main(ckpt)
