"""Calls what is not a function: the name was taken by a number."""

loss = 0.5
losses = []
for target in (1, 0):
    losses.append(loss(target))  # <- cause
