"""Ends long before its time limit."""

import time

time.sleep(0.3)
print("in time")
