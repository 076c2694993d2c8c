"""Embeddings of every batch kept on the host, by JAX."""

import jax
import jax.numpy as jnp

embeddings = {}


@jax.jit
def embed(key):
    return jnp.tanh(jax.random.normal(key, (1000, 2000)))


key = jax.random.key(0)
for step in range(10000):
    key, one = jax.random.split(key)
    embeddings[step] = embed(one)  # <- cause
print(len(embeddings))
