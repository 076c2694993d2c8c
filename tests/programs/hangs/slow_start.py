"""Waits three seconds for a thread that has something to wait for itself, and goes on. Healthy."""

import os
import threading

reader, writer = os.pipe()
alarm = threading.Timer(3.0, os.write, (writer, b"go"))
alarm.start()
listener = threading.Thread(target=os.read, args=(reader, 2))
listener.start()
listener.join()
print("done")
