"""The census: what lives in the process, how large it is, and who holds it."""
