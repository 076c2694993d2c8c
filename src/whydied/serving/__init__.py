"""The runs of this machine in a browser: a small server on the loopback address."""
