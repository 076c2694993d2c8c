"""`sys.exit()` without a status is success."""

import sys

print("nothing to do")
sys.exit()
