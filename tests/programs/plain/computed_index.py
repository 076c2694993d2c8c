"""Steps past the end of a list with an index that is computed."""

rows = [[1, 2, 3], [4, 5, 6]]
width = 3


def diagonal(offset):
    return [rows[i][(i + offset) * width // 2] for i in range(len(rows))]  # <- cause


print(diagonal(0))
print(diagonal(2))
