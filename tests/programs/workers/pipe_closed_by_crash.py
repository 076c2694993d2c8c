"""A process crashes in native code; its parent only sees that the pipe was closed."""

import ctypes
import multiprocessing


def decode(connection):
    address = connection.recv()
    connection.send(ctypes.string_at(address))  # <- cause


if __name__ == "__main__":
    ours, theirs = multiprocessing.Pipe()
    decoder = multiprocessing.Process(target=decode, args=(theirs,))
    decoder.start()
    theirs.close()
    ours.send(8)
    print(ours.recv())
