"""A local that is only assigned on one branch."""


def best(scores):
    for score in scores:
        if score > 0.9:
            winner = score
    return winner  # <- cause


print(best([0.95]))
print(best([0.5]))
