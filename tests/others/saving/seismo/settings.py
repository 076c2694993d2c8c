import os
import tempfile

WORK = os.path.join(tempfile.gettempdir(), "seismo_work_%d" % os.getpid())
CKPT_PREFIX = os.path.join(WORK, "weights", "ckpt")
WINDOW = 64
KINDS = 3
EPOCHS = 6
