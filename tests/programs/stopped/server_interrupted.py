"""Waits for requests, as a server does, until somebody presses Ctrl-C: nothing is wrong with it."""

import os
import socket

with socket.create_server(("127.0.0.1", 0)) as server:
    print("ready", os.getpid(), flush=True)
    server.accept()
