"""A schedule whose last line misspells a name."""

learning_rate = 0.1


def decayed(epoch):
    return learning_rte * 0.9**epoch  # <- cause


for epoch in range(3):
    print(epoch, decayed(epoch))
