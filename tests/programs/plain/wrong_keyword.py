"""Passes a keyword argument that the function does not take."""


def split(rows, *, test_fraction=0.2, shuffle=True):
    cut = int(len(rows) * (1 - test_fraction))
    return rows[:cut], rows[cut:]


train, test = split(
    list(range(10)),
    test_fracton=0.3,
)
print(len(train), len(test))
