import os
import tempfile

SIDE = 16
CHANNELS = 4
FOLDER = tempfile.mkdtemp(prefix="matting")
WEIGHTS = os.path.join(FOLDER, "final.weights.h5")
